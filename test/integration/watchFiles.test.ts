/** Watching a real directory: however files appear, disappear and change, they are sent completely and once. */
import { copyFile, mkdir, open, rename, utimes, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLES, MEDIA_DIRECTORY, tinyJpeg, tinyPng } from '../helpers/media.ts';
import { sha256 } from './localFiles.ts';
import { countingReads, watchScanned, watchWorld } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';

function contentsAt(world: World): readonly string[] {
  return [...world.service.state.batches.values()]
    .flatMap((batch) => batch.objects.map((object) => object.sha256))
    .sort();
}

/** Ends the watch and checks the whole promise. */
async function expectAll(world: World, stop: () => Promise<void>, former: string[] = []) {
  await stop();
  await world.local.remember();
  await world.expectExactlyOnce({ allConfirmed: true, former });
}

describe('files that arrive', () => {
  test('one that is written slowly is never sent before its end', async () => {
    const world = await createWorld();
    const watched = await watchScanned(world);
    const whole = readFileSync(join(MEDIA_DIRECTORY, SAMPLES.jpeg));
    const path = world.local.path('slow.jpg');
    const file = await open(path, 'w');
    const pieces = 5;
    const looks: number[] = [];
    for (let piece = 0; piece < pieces; piece += 1) {
      const from = Math.floor((whole.length * piece) / pieces);
      const to = Math.floor((whole.length * (piece + 1)) / pieces);
      await file.write(whole.subarray(from, to));
      // Half of the settle time passes between two writes: a watch that counts from the first would send.
      const until = performance.now() + 500;
      await watched.until(() => performance.now() >= until);
      looks.push(Object.keys(watched.states()).length);
    }
    await file.close();
    expect(looks, 'nothing was taken while it grew').toEqual([0, 0, 0, 0, 0]);
    await watched.until(() => watched.states()['slow.jpg'] === 'confirmed');
    expect(contentsAt(world)).toEqual([sha256(whole)]);
    await expectAll(world, watched.stop);
  });

  test('a copy that pauses for longer than the settle time is waited for: its end is missing', async () => {
    const world = await createWorld();
    const watched = await watchScanned(world);
    const whole = readFileSync(join(MEDIA_DIRECTORY, SAMPLES.jpeg));
    const file = await open(world.local.path('paused.jpg'), 'w');
    await file.write(whole.subarray(0, whole.length / 2));
    await watched.until(() => watched.states()['paused.jpg'] === 'queued');
    await file.write(whole.subarray(whole.length / 2), 0, undefined, whole.length / 2);
    await file.close();
    await watched.until(() => watched.states()['paused.jpg'] === 'confirmed');
    expect(contentsAt(world)).toEqual([sha256(whole)]);
    await expectAll(world, watched.stop);
  });

  test('written and renamed, copied with old times, and in new sub-directories', async () => {
    const world = await createWorld();
    const watched = await watchScanned(world);
    const { root } = world.local;
    await writeFile(join(root, 'frame.jpg.part'), tinyJpeg(1));
    await rename(join(root, 'frame.jpg.part'), join(root, 'frame.jpg'));
    const lastYear = new Date(Date.now() - 365 * 86_400_000);
    await copyFile(join(MEDIA_DIRECTORY, SAMPLES.phoneJpeg), join(root, 'old.jpg'));
    await utimes(join(root, 'old.jpg'), lastYear, lastYear);
    const tomorrow = new Date(Date.now() + 86_400_000);
    await writeFile(join(root, 'future.jpg'), tinyJpeg(2));
    await utimes(join(root, 'future.jpg'), tomorrow, tomorrow);
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    await writeFile(join(root, 'a/b/c/deep.jpg'), tinyJpeg(3));
    await writeFile(join(root, '.hidden.jpg'), tinyJpeg(4));
    await writeFile(join(root, 'never-ends.jpg.tmp'), tinyJpeg(5));
    const wanted = {
      'frame.jpg': 'confirmed',
      'old.jpg': 'confirmed',
      'future.jpg': 'confirmed',
      'a/b/c/deep.jpg': 'confirmed',
    };
    await watched.until(
      () => Object.values(watched.states()).filter((state) => state === 'confirmed').length === 4,
    );
    expect(watched.states()).toEqual(wanted);
    await watched.stop();
    await world.local.remove('.hidden.jpg');
    await world.local.remove('never-ends.jpg.tmp');
    await expectAll(world, watched.stop);
  });

  test('behind a link to a directory that appears, and in directories named like temporary files', async () => {
    const world = await createWorld();
    const watched = await watchScanned(world);
    await world.local.write('../elsewhere/1.jpg', tinyJpeg(1));
    await world.local.link('camera', '../elsewhere');
    await world.local.write('cam.part/2.jpg', tinyJpeg(2));
    const wanted = { 'camera/1.jpg': 'confirmed', 'cam.part/2.jpg': 'confirmed' };
    // The link triggers a scan, which finds both.
    await watched.until(
      () => Object.values(watched.states()).filter((state) => state === 'confirmed').length === 2,
    );
    expect(watched.states()).toEqual(wanted);
  });

  test('replaced after its upload it is sent as new content; renamed it is a duplicate', async () => {
    const world = await createWorld();
    await world.local.write('a.jpg', tinyJpeg(1));
    await world.local.write('b.jpg', tinyJpeg(2));
    const watched = await watchWorld(world);
    await watched.until(() => Object.values(watched.states()).join() === 'confirmed,confirmed');
    await writeFile(world.local.path('next'), tinyJpeg(3));
    await rename(world.local.path('next'), world.local.path('a.jpg'));
    await rename(world.local.path('b.jpg'), world.local.path('c.jpg'));
    await watched.until(
      () =>
        watched.states()['c.jpg'] === 'skipped item.duplicate' && contentsAt(world).length === 3,
    );
    await watched.until(() => watched.states()['a.jpg'] === 'confirmed');
    expect(contentsAt(world)).toEqual([1, 2, 3].map((number) => sha256(tinyJpeg(number))).sort());
    await expectAll(world, watched.stop, [sha256(tinyJpeg(1))]);
  });

  test('files that keep trickling in are sent all the same', async () => {
    const world = await createWorld();
    const times = { flushQuietMs: 30_000, flushOldMs: 1_000 };
    const watched = await watchScanned(world, { times });
    let number = 0;
    while (contentsAt(world).length === 0) {
      number += 1;
      await writeFile(world.local.path(`frame-${number}.jpg`), tinyJpeg(number));
      const next = performance.now() + 200;
      await watched.until(() => performance.now() >= next);
      watched.running.pipeline.changed('plan');
    }
    expect(contentsAt(world).length).toBeLessThanOrEqual(number);
  });
});

describe('what a watch costs', () => {
  test('restarted on files that are all known, it reads none of them', async () => {
    const world = await createWorld();
    for (let number = 0; number < 40; number += 1) {
      await world.local.write(`cam-${number % 3}/${number}.jpg`, tinyJpeg(number));
    }
    const first = await watchWorld(world);
    expect(await first.once()).toMatchObject({
      end: { kind: 'settled' },
      tally: { confirmed: 40 },
    });
    await first.stop();
    const counts = { inspected: 0, hashed: 0, opened: 0 };
    const requests = world.requestCount('*', /upload/);
    const again = await watchWorld(world, { wraps: [countingReads(counts)] });
    expect(await again.once()).toMatchObject({
      end: { kind: 'settled' },
      tally: { confirmed: 40 },
    });
    expect(counts).toEqual({ inspected: 0, hashed: 0, opened: 0 });
    expect(world.requestCount('*', /upload/)).toBe(requests);
    await expectAll(world, again.stop);
  });

  test('one inotify watch per directory, none per file', async () => {
    const world = await createWorld();
    for (let number = 0; number < 60; number += 1) {
      await world.local.write(`cam-${number % 4}/${number}.png`, tinyPng(number));
    }
    const before = inotifyWatches();
    const watched = await watchScanned(world);
    // The source, its four directories, and the parent that reports when the source itself appears and disappears.
    expect(inotifyWatches() - before).toBeLessThanOrEqual(6);
    expect(inotifyWatches() - before).toBeGreaterThanOrEqual(5);
    await watched.stop();
    expect(inotifyWatches()).toBe(before);
  });
});

/** Inotify watches of this process, as the kernel counts them. */
function inotifyWatches(): number {
  const lines = readdirSync('/proc/self/fdinfo').flatMap((name) => {
    try {
      return readFileSync(join('/proc/self/fdinfo', name), 'utf8').split('\n');
    } catch {
      return [];
    }
  });
  return lines.filter((line) => line.startsWith('inotify wd:')).length;
}
