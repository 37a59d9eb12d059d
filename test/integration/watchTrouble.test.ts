/** A watch whose environment fails: the directory disappears, hints are lost, the system has no watches left. No file is lost. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Notifying } from '../../main/engine/core/ports.ts';
import { ok } from '../../main/engine/core/errors.ts';
import { isStamp } from '../../main/engine/core/ids.ts';
import { decodeName } from '../../main/engine/files/names/pathBytes.ts';
import { readWaits } from '../../main/engine/status/waits.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { sha256 } from './localFiles.ts';
import { createRandom, seedOfRun } from './random.ts';
import { fastClock, filesWith } from './ports.ts';
import { hintsThrough, type WatchedWorld, watchScanned, watchWorld } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';

function confirmed(watched: WatchedWorld): number {
  return Object.values(watched.states()).filter((state) => state === 'confirmed').length;
}

async function expectAll(
  world: World,
  watched: WatchedWorld,
  former: readonly string[] = [],
): Promise<void> {
  await watched.stop();
  await world.local.remember();
  await world.expectExactlyOnce({ allConfirmed: true, former });
}

/** A system that has no directory watches left. */
const EXHAUSTED = filesWith(() => ({
  notify: (_, wants): Notifying => {
    const ready = Promise.resolve().then(() => wants.onTrouble('exhausted', 'ENOSPC'));
    return { ready, close: () => Promise.resolve() };
  },
}));

test('a file that never stops changing is shown as waiting until it rests', async () => {
  const world = await createWorld();
  await world.local.write('live.jpg', tinyJpeg(1));
  let changes = 0;
  let isLive = true;
  const live = filesWith((files) => ({
    stat: async (paths) => {
      const looks = await files.stat(paths);
      if (!isLive) return looks;
      changes += 1;
      return looks.map((look) => {
        const stamp = look.ok ? look.value.stamp.replace(/^\d+/, String(changes)) : '';
        return look.ok && isStamp(stamp)
          ? ok({ ...look.value, stamp, touchedAt: Date.now() })
          : look;
      });
    },
  }));
  const watched = await watchWorld(world, { wraps: [live, fastClock(100)] });
  const waits = (): readonly unknown[] =>
    readWaits(watched.store, Date.now(), true).filter(({ kind }) => kind === 'watch');
  await watched.until(() => waits().length > 0);
  expect(waits()).toMatchObject([
    { kind: 'watch', code: 'watch.changing', detail: 'live.jpg keeps changing' },
  ]);
  isLive = false;
  await watched.until(() => waits().length === 0 && 'live.jpg' in watched.states());
});

describe('the directory', () => {
  test('goes away and comes back with what was there and more', async () => {
    const world = await createWorld();
    await world.local.write('a/1.jpg', tinyJpeg(1));
    await world.local.write('2.jpg', tinyJpeg(2));
    const watched = await watchWorld(world);
    await watched.until(() => confirmed(watched) === 2);
    const aside = join(world.directory, 'aside');
    await rename(world.local.root, aside);
    await watched.until(() => watched.following().condition() === 'missing');
    expect(watched.following().notice()).toMatch(/not there.*when it is back/);
    const waits = (): readonly unknown[] => readWaits(watched.store, Date.now(), true);
    expect(waits()).toMatchObject([{ kind: 'watch', code: 'watch.missing' }]);
    await writeFile(join(aside, '3.jpg'), tinyJpeg(3));
    await rename(aside, world.local.root);
    await watched.until(() => watched.following().condition() === 'watching');
    expect(watched.following().notice()).toBeNull();
    expect(waits()).not.toMatchObject([{ kind: 'watch' }]);
    await world.local.write('b/4.jpg', tinyJpeg(4));
    await watched.until(() => confirmed(watched) === 4);
    await expectAll(world, watched);
  });

  test('is removed and made again between two checks', async () => {
    const world = await createWorld();
    await world.local.write('1.jpg', tinyJpeg(1));
    const watched = await watchWorld(world, { times: { rootCheckMs: 600_000 } });
    await watched.until(() => confirmed(watched) === 1);
    await rm(world.local.root, { recursive: true });
    await mkdir(world.local.root);
    await writeFile(world.local.path('2.jpg'), tinyJpeg(2));
    await watched.until(() => confirmed(watched) === 2);
    await writeFile(world.local.path('3.jpg'), tinyJpeg(3));
    await watched.until(() => confirmed(watched) === 3);
    await expectAll(world, watched, [sha256(tinyJpeg(1))]);
  });

  test('is another one under the same path, without any event', async () => {
    const world = await createWorld();
    const deaf = hintsThrough((wants) => ({ ...wants, onTouched: () => undefined }));
    await world.local.write('1.jpg', tinyJpeg(1));
    const other = join(world.directory, 'other');
    await mkdir(other);
    await writeFile(join(other, '2.jpg'), tinyJpeg(2));
    const watched = await watchWorld(world, { wraps: [deaf] });
    await watched.until(() => confirmed(watched) === 1);
    // As when a volume is mounted: one step, and listeners get no event.
    await rename(world.local.root, join(world.directory, 'aside'));
    await rename(other, world.local.root);
    await watched.until(() => confirmed(watched) === 2);
    await expectAll(world, watched, [sha256(tinyJpeg(1))]);
  });

  test('is not there at the start of a program that watched it before', async () => {
    const world = await createWorld();
    const first = await watchWorld(world);
    await first.until(() => first.following().scannedOnce());
    await first.stop();
    await rm(world.local.root, { recursive: true });
    const again = await watchWorld(world);
    await again.until(() => again.following().notice() !== null);
    expect(again.following().condition()).toBe('missing');
    await mkdir(world.local.root);
    await world.local.write('late.jpg', tinyJpeg(9));
    await again.until(() => confirmed(again) === 1);
    await expectAll(world, again);
  });
});

describe('names are listed instead of listened for', () => {
  test.each([
    ['when asked for', { pollOnly: true }, null],
    ['when the system has no watches left', { wraps: [EXHAUSTED] }, /inotify.*names are listed/],
  ] as const)('%s', async (_, options, notice) => {
    const world = await createWorld();
    await world.local.write('before.jpg', tinyJpeg(0));
    const watched = await watchWorld(world, options);
    await watched.until(() => watched.following().condition() === 'polling');
    if (notice === null) expect(watched.following().notice()).toBeNull();
    else expect(watched.following().notice()).toMatch(notice);
    await world.local.write('1.jpg', tinyJpeg(1));
    await world.local.write('new/sub/2.jpg', tinyJpeg(2));
    await mkdir(world.local.path('new/empty'));
    await watched.until(() => confirmed(watched) === 3);
    await world.local.write('new/sub/3.jpg', tinyJpeg(3));
    await watched.until(() => confirmed(watched) === 4);
    expect(Object.keys(watched.states()).sort(), 'a directory is no item').toEqual([
      '1.jpg',
      'before.jpg',
      'new/sub/2.jpg',
      'new/sub/3.jpg',
    ]);
    await expectAll(world, watched);
  });

  test('what appears while the first scan runs is found', async () => {
    const world = await createWorld();
    await world.local.write('a.jpg', tinyJpeg(1));
    let late = false;
    const lateFile = filesWith((files) => ({
      stat: async (paths) => {
        // The directory was already listed for this check, and will be listed again for names.
        if (!late) {
          late = true;
          await world.local.write('late.jpg', tinyJpeg(2));
        }
        return files.stat(paths);
      },
    }));
    const watched = await watchWorld(world, { pollOnly: true, wraps: [lateFile] });
    await watched.until(() => confirmed(watched) === 2);
    await expectAll(world, watched);
  });
});

describe('hints are lost', () => {
  const seed = seedOfRun();
  test.each([5, 50, 100])(`%i of 100 (SLUICE_SEED=${seed})`, async (percent) => {
    const world = await createWorld();
    const random = createRandom(seed + percent);
    let dropped = 0;
    const dropping = hintsThrough((wants) => ({
      ...wants,
      onTouched: (path, type) => {
        if (random.fraction() * 100 >= percent) wants.onTouched(path, type);
        else dropped += 1;
      },
    }));
    const watched = await watchScanned(world, { wraps: [dropping] });
    const files = 40;
    for (let number = 0; number < files; number += 1) {
      await world.local.write(`cam-${number % 3}/${number}.jpg`, tinyJpeg(number));
    }
    if (percent === 100) await watched.until(() => dropped >= files);
    watched.following().scanNow();
    await watched.until(() => confirmed(watched) === files);
    await expectAll(world, watched);
  });

  test('the regular scan finds what no event reported', async () => {
    const world = await createWorld();
    const deaf = hintsThrough((wants) => ({ ...wants, onTouched: () => undefined }));
    const watched = await watchScanned(world, { wraps: [deaf], times: { rescanMs: 300 } });
    await world.local.write('1.jpg', tinyJpeg(1));
    await watched.until(() => confirmed(watched) === 1);
    await expectAll(world, watched);
  });

  test('trouble of the listener itself leads to a scan', async () => {
    const world = await createWorld();
    let trouble = (): void => undefined;
    const breaking = hintsThrough((wants) => {
      trouble = () => wants.onTrouble('failed', 'EIO');
      return { ...wants, onTouched: () => undefined };
    });
    const watched = await watchScanned(world, { wraps: [breaking] });
    await world.local.write('1.jpg', tinyJpeg(1));
    trouble();
    await watched.until(() => confirmed(watched) === 1);
    expect(watched.logged).toContain('watch.trouble');
    await expectAll(world, watched);
  });
});

test.skipIf(process.platform !== 'linux')(
  'files and directories whose names are not UTF-8 are found without a scan',
  async () => {
    const world = await createWorld();
    const odd = (name: string): string => decodeName(Buffer.from(name, 'latin1'));
    await world.local.write(odd('gr\xfcn/1.jpg'), tinyJpeg(1));
    const watched = await watchWorld(world);
    await watched.until(() => confirmed(watched) === 1);
    await world.local.write(odd('gr\xfcn/2.jpg'), tinyJpeg(2));
    await world.local.write(odd('bl\xe4u.jpg'), tinyJpeg(3));
    await watched.until(() => confirmed(watched) === 3);
    expect(watched.following().notice()).toBeNull();
    await expectAll(world, watched);
  },
);
