/** Source files are moved only when a rule says so, only if confirmed and unchanged, and never partially. */
import {
  copyFile,
  link,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WaitView } from '../../preload/contract/waits.ts';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import { fail } from '../../main/engine/core/errors.ts';
import { readWaits } from '../../main/engine/status/waits.ts';
import { ownPartPath } from '../../main/engine/pipeline/download/parts.ts';
import { undoMoves } from '../../main/engine/watches/undoMoves.ts';
import type { Files } from '../../main/engine/core/ports.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { fastClock, filesWith } from './ports.ts';
import { type WatchedWorld, watchWorld } from './watchWorld.ts';
import { CLOSED_SOON } from './wholeLoop.ts';
import { createWorld, type World } from './world.ts';

function movingRule(world: World): Partial<WatchRule> {
  return { seal: CLOSED_SOON, moveTo: join(world.local.root, 'uploaded') };
}

async function worldWith(files: number): Promise<World> {
  const world = await createWorld();
  for (let number = 0; number < files; number += 1) {
    await world.local.write(`cam/${number}.jpg`, tinyJpeg(number));
  }
  await world.local.remember();
  return world;
}

function moved(watched: WatchedWorld): number {
  return Number(
    watched.store.get(`SELECT count(*) AS count FROM moved_sources WHERE state = 'moved'`)?.[
      'count'
    ],
  );
}

function planned(watched: WatchedWorld): number {
  return Number(
    watched.store.get(`SELECT count(*) AS count FROM moved_sources WHERE state = 'planned'`)?.[
      'count'
    ],
  );
}

async function names(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).sort();
}

describe('moving sources', () => {
  test('is off unless a rule says so', async () => {
    const world = await worldWith(3);
    const watched = await watchWorld(world, { rule: { seal: CLOSED_SOON } });
    const closed = `SELECT 1 AS there FROM batches WHERE state = 'sealed'`;
    const unsent = `SELECT 1 AS there FROM items WHERE state <> 'confirmed'`;
    // A slow computer closes the batch before its last file has been sent.
    await watched.until(
      () => watched.store.get(closed) !== null && watched.store.get(unsent) === null,
    );
    await watched.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test('comes after the confirmation, keeps sub-directories, and can be undone', async () => {
    const world = await worldWith(3);
    const watched = await watchWorld(world, { rule: movingRule(world) });
    await watched.until(() => moved(watched) === 3);
    const uploaded = world.local.path('uploaded/cam');
    expect(await names(uploaded)).toEqual(['0.jpg', '1.jpg', '2.jpg']);
    expect(await names(world.local.path('cam'))).toEqual([]);
    expect(readFileSync(join(uploaded, '1.jpg'))).toEqual(tinyJpeg(1));
    // A file that is in the way when it is moved back is never replaced.
    await writeFile(world.local.path('cam/2.jpg'), tinyJpeg(99));
    const undone = await undoMoves(watched.running.pipeline, watched.watch);
    expect(undone).toMatchObject({ undone: 2, left: [{ move: { to: join(uploaded, '2.jpg') } }] });
    expect(await names(world.local.path('cam'))).toEqual(['0.jpg', '1.jpg', '2.jpg']);
    expect(await names(uploaded)).toEqual(['2.jpg']);
    await watched.until(() => world.service.state.objects('line-2').length === 1);
    expect(world.service.state.doubles()).toEqual([]);
    expect(world.service.state.objects('line')).toHaveLength(3);
  });

  test('is undone to the end after a crash in the middle, and a link to a moved file does not count as it', async () => {
    const world = await worldWith(3);
    const watched = await watchWorld(world, { rule: movingRule(world) });
    await watched.until(() => moved(watched) === 3);
    const [uploaded, camera] = [world.local.path('uploaded/cam'), world.local.path('cam')];
    await copyFile(join(uploaded, '0.jpg'), join(camera, '0.jpg'));
    await writeFile(ownPartPath(watched.running.pipeline, join(camera, '0.jpg')), 'the copy');
    await rename(join(uploaded, '1.jpg'), join(camera, '1.jpg'));
    await symlink(join(uploaded, '2.jpg'), join(camera, '2.jpg'));
    const undone = await undoMoves(watched.running.pipeline, watched.watch);
    expect(undone).toMatchObject({ undone: 2, left: [{ move: { to: join(uploaded, '2.jpg') } }] });
    expect(await names(camera)).toEqual(['0.jpg', '1.jpg', '2.jpg']);
    expect(await names(uploaded)).toEqual(['2.jpg']);
    // The directory of moved files is now the same as the other one.
    await rename(join(uploaded, '2.jpg'), join(camera, '2.jpg'));
    await rmdir(uploaded);
    await symlink(camera, uploaded);
    await undoMoves(watched.running.pipeline, watched.watch);
    expect(readFileSync(join(camera, '2.jpg'))).toEqual(tinyJpeg(2));
  });

  test('waits for the job and its results where the rule has them', async () => {
    const world = await worldWith(2);
    world.service.faults.always('GET', /stages/, { kind: 'status', status: 500 });
    const downloadTo = join(world.directory, 'results');
    const rule = { ...movingRule(world), job: { workflowId: 'w' }, downloadTo };
    const watched = await watchWorld(world, { rule });
    await watched.until(() => world.requestCount('GET', /stages/) >= 2);
    expect(moved(watched) + planned(watched)).toBe(0);
    world.service.faults.clear();
    await watched.until(() => moved(watched) === 2);
    expect(existsSync(join(downloadTo, 'line'))).toBe(true);
  });

  test('waits with its job while the service counts fewer files than it confirmed', async () => {
    const world = await worldWith(2);
    const seal = { ...CLOSED_SOON, quietMinutes: null, items: 3 };
    const rule = { ...movingRule(world), seal, job: { workflowId: 'w' } };
    const watched = await watchWorld(world, { rule });
    const unsent = `SELECT 1 AS there FROM items WHERE state <> 'confirmed'`;
    await watched.until(
      () => world.service.state.objects('line').length === 2 && watched.store.get(unsent) === null,
    );
    const objects = world.service.state.batches.get('line')?.objects ?? [];
    const lost = objects.splice(0, 1);
    await world.local.write('cam/2.jpg', tinyJpeg(2));
    const waits = (): readonly string[] =>
      readWaits(watched.store, Date.now(), true).map(({ kind, code }) => `${kind}: ${code}`);
    await watched.until(() => waits().includes('ready: batch.lacksFiles'));
    await watched.stop();
    const hurried = await watchWorld(world, { wraps: [fastClock(50)] });
    const { end } = await hurried.once();
    expect(end).toMatchObject({ kind: 'blocked', error: { code: 'batch.lacksFiles' } });
    expect([world.service.state.jobs.size, moved(hurried)]).toEqual([0, 0]);
    await hurried.stop();
    objects.unshift(...lost);
    const again = await watchWorld(world);
    await again.until(() => moved(again) === 3);
    expect(world.service.state.jobs.size).toBe(1);
  });

  test('leaves a file that was replaced since, and one that was taken away', async () => {
    const world = await worldWith(4);
    const met = new Set<string>();
    const changing = filesWith((files) => ({
      typeOf: async (path) => {
        // The user acts first, at the last moment before anything is planned.
        if (!met.has(path) && path === world.local.path('cam/1.jpg'))
          await writeFile(path, tinyJpeg(77));
        if (!met.has(path) && path === world.local.path('cam/2.jpg')) await rm(path);
        met.add(path);
        return files.typeOf(path);
      },
    }));
    const watched = await watchWorld(world, { rule: movingRule(world), wraps: [changing] });
    await watched.until(() => moved(watched) === 2);
    expect(await names(world.local.path('uploaded/cam'))).toEqual(['0.jpg', '3.jpg']);
    expect(readFileSync(world.local.path('cam/1.jpg'))).toEqual(tinyJpeg(77));
  });

  test('says that the disk refuses it, and continues by itself', async () => {
    const world = await worldWith(1);
    let isFull = true;
    const filling = filesWith((files) => ({
      moveFile: (...given) =>
        isFull ? Promise.resolve(fail('disk.full', {})) : files.moveFile(...given),
    }));
    const watched = await watchWorld(world, { rule: movingRule(world), wraps: [filling] });
    const waits = () => readWaits(watched.store, Date.now(), true);
    const isMoving = ({ kind }: WaitView): boolean => kind === 'moving';
    await watched.until(() => waits().some(isMoving));
    expect(waits().find(isMoving)).toMatchObject({
      code: 'disk.full',
      name: world.local.path('uploaded'),
    });
    isFull = false;
    await watched.until(() => moved(watched) === 1 && !waits().some(isMoving));
  });

  test('forgets no file whose drive is unplugged', async () => {
    const world = await worldWith(2);
    const [drive, elsewhere] = [world.local.path('cam'), world.local.path('elsewhere')];
    let isUnplugged = false;
    let isSeen = false;
    const unplugging = filesWith((files) => ({
      typeOf: async (path) => {
        if (path === join(drive, '0.jpg') && !isUnplugged) {
          isUnplugged = true;
          await rename(drive, elsewhere);
          await mkdir(drive);
        }
        isSeen ||= isUnplugged && path === join(drive, '1.jpg');
        return files.typeOf(path);
      },
    }));
    const watched = await watchWorld(world, { rule: movingRule(world), wraps: [unplugging] });
    await watched.until(() => isSeen);
    await watched.stop();
    await rm(drive, { recursive: true });
    await rename(elsewhere, drive);
    const again = await watchWorld(world);
    await again.until(() => moved(again) === 2);
    expect(await names(world.local.path('uploaded/cam'))).toEqual(['0.jpg', '1.jpg']);
  });

  test('never replaces what is already in the directory', async () => {
    const world = await worldWith(1);
    await world.local.write('uploaded/cam/0.jpg', tinyJpeg(50));
    const watched = await watchWorld(world, { rule: movingRule(world) });
    await watched.until(() => moved(watched) === 1);
    const uploaded = world.local.path('uploaded/cam');
    expect(readFileSync(join(uploaded, '0.jpg'))).toEqual(tinyJpeg(50));
    expect(readFileSync(join(uploaded, '0~2.jpg'))).toEqual(tinyJpeg(0));
  });
});

/** Engines that stop between the plan of a move and its end. */
const STOPS: readonly {
  readonly name: string;
  readonly moveFile: (
    files: Files,
    ...given: Parameters<Files['moveFile']>
  ) => ReturnType<Files['moveFile']>;
}[] = [
  { name: 'before the file moved', moveFile: () => Promise.resolve(fail('disk.failed', {})) },
  {
    name: 'between its second name and the end of the first',
    moveFile: async (_files, from, to) => {
      await mkdir(join(to, '..'), { recursive: true });
      if (!existsSync(to)) await link(from, to);
      return fail('disk.failed', {});
    },
  },
  {
    name: 'between its copy on another disk and its own end',
    moveFile: async (_files, from, to) => {
      await mkdir(join(to, '..'), { recursive: true });
      await copyFile(from, to);
      return fail('disk.failed', {});
    },
  },
  {
    name: 'during its copy to another disk',
    moveFile: async (_files, _from, to, part) => {
      await mkdir(join(to, '..'), { recursive: true });
      await writeFile(part, 'half');
      return fail('disk.failed', {});
    },
  },
  {
    name: 'after the file moved',
    moveFile: async (files, from, to, part) => {
      await files.moveFile(from, to, part);
      return fail('disk.failed', {});
    },
  },
];

describe('stopped between plan and move', () => {
  /** Runs until a move is planned but not finished. */
  async function stopAt(world: World, stop: (typeof STOPS)[number]): Promise<void> {
    const broken = filesWith((files) => ({
      moveFile: (...given) => stop.moveFile(files, ...given),
      remove: () => Promise.resolve(fail('disk.failed', {})),
    }));
    let tried = false;
    const noting = filesWith((files) => ({
      moveFile: (...given) => {
        tried = true;
        return files.moveFile(...given);
      },
    }));
    const wraps = [broken, noting];
    const watched = await watchWorld(world, { rule: movingRule(world), wraps });
    await watched.until(() => tried);
    await watched.stop();
  }

  test.each(STOPS)('$name: the next run ends it', async (stop) => {
    const world = await worldWith(1);
    await stopAt(world, stop);
    const again = await watchWorld(world);
    await again.until(() => moved(again) === 1);
    expect(await names(world.local.path('uploaded/cam'))).toEqual(['0.jpg']);
    expect(await names(world.local.path('cam'))).toEqual([]);
    expect(readFileSync(world.local.path('uploaded/cam/0.jpg'))).toEqual(tinyJpeg(0));
    expect(world.service.state.doubles()).toEqual([]);
    expect(world.service.state.objects('line')).toHaveLength(1);
  });

  test('a file that was replaced meanwhile is sent, not moved', async () => {
    const world = await worldWith(1);
    const [before] = STOPS;
    if (before === undefined) throw new Error('there are stops');
    await stopAt(world, before);
    await world.local.write('cam/0.jpg', tinyJpeg(42));
    const unmoved: string[] = [];
    const noting = filesWith((files) => ({
      moveFile: (...given) => {
        unmoved.push(readFileSync(given[0]).toString('base64'));
        return files.moveFile(...given);
      },
    }));
    const again = await watchWorld(world, { wraps: [noting] });
    await again.until(() => moved(again) === 1);
    expect(unmoved).toEqual([tinyJpeg(42).toString('base64')]);
    expect(world.service.state.objects('line-2')).toHaveLength(1);
  });
});
