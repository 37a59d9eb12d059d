/** Watched paths that are links, or become links: the watch follows where they lead, and sends nothing twice. */
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  changeWatch,
  ensureOneOffWatch,
  toRule,
  type Watch,
  watchById,
} from '../../main/engine/watches/registry.ts';
import { readWaits } from '../../main/engine/status/waits.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { filesWith } from './ports.ts';
import { ruleOf, type WatchedWorld, watchWorld, type WatchOptions } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';
import { valueOf } from '../helpers/results.ts';

const WAYS = [
  ['listening', {}],
  ['listing names', { pollOnly: true }],
] as const satisfies readonly [string, WatchOptions][];

/** Makes the link `current` lead to a directory, in one step, as deployments do. */
async function switchTo({ local }: World, name: string): Promise<void> {
  await symlink(local.path(name), local.path('next'));
  await rename(local.path('next'), local.path('current'));
}

/** A world with the directories `day1` and `day2`, and a link `current` to the first. */
async function linkedWorld(): Promise<World> {
  const world = await createWorld();
  await mkdir(world.local.path('day1'));
  await mkdir(world.local.path('day2'));
  await switchTo(world, 'day1');
  return world;
}

async function watchCurrent(world: World, options: WatchOptions = {}): Promise<WatchedWorld> {
  return watchWorld(world, {
    ...options,
    rule: { directory: world.local.path('current'), ...options.rule },
  });
}

function isConfirmed(watched: WatchedWorld, name: string): boolean {
  return watched.states()[name] === 'confirmed';
}

function storedRule({ store, watch }: WatchedWorld): Watch['rule'] | undefined {
  return watchById(store, watch.id)?.rule;
}

async function expectAll(world: World, watched: WatchedWorld): Promise<void> {
  await watched.stop();
  await world.local.remember();
  await world.expectExactlyOnce({ allConfirmed: true });
}

describe.each(WAYS)('%s', (_, way) => {
  test('a link that is switched: what is in the other directory is found, what comes later too', async () => {
    const world = await linkedWorld();
    const { local } = world;
    await local.write('day1/a.jpg', tinyJpeg(1));
    await local.write('day1/same.jpg', tinyJpeg(2));
    const watched = await watchCurrent(world, way);
    expect(watched.watch.rule).toMatchObject({
      directory: local.path('day1'),
      link: local.path('current'),
    });
    await watched.until(() => isConfirmed(watched, 'a.jpg') && isConfirmed(watched, 'same.jpg'));
    await local.write('day2/a.jpg', tinyJpeg(3));
    await local.write('day2/same.jpg', tinyJpeg(2));
    await switchTo(world, 'day2');
    await watched.until(() => watched.states()['same.jpg'] === 'skipped item.duplicate');
    await local.write('current/b.jpg', tinyJpeg(4));
    await watched.until(() => isConfirmed(watched, 'a.jpg') && isConfirmed(watched, 'b.jpg'));
    expect(watched.following().notice()).toBeNull();
    expect(storedRule(watched)).toMatchObject({
      directory: local.path('day2'),
      link: local.path('current'),
    });
    await expectAll(world, watched);
    expect(world.service.state.objects('line')).toHaveLength(4);
  });

  test('a directory that a link replaces: the watch goes on, and nothing is sent again', async () => {
    const world = await createWorld();
    const { local } = world;
    await local.write('camera/a.jpg', tinyJpeg(1));
    const watched = await watchWorld(world, { ...way, rule: { directory: local.path('camera') } });
    await watched.until(() => isConfirmed(watched, 'a.jpg'));
    await rename(local.path('camera'), local.path('large'));
    await symlink(local.path('large'), local.path('camera'));
    await local.write('camera/b.jpg', tinyJpeg(2));
    await watched.until(() => isConfirmed(watched, 'b.jpg'));
    await local.write('camera/c.jpg', tinyJpeg(3));
    await watched.until(() => isConfirmed(watched, 'c.jpg'));
    expect(watched.following().notice()).toBeNull();
    expect(storedRule(watched)).toMatchObject({
      directory: local.path('large'),
      link: local.path('camera'),
    });
    await expectAll(world, watched);
    expect(world.service.state.objects('line')).toHaveLength(3);
  });

  test('a directory that is missing for a while before a link is in its place, and then a directory again', async () => {
    const world = await createWorld();
    const { local } = world;
    await mkdir(local.path('camera'));
    await local.write('other/a.jpg', tinyJpeg(1));
    const watched = await watchWorld(world, { ...way, rule: { directory: local.path('camera') } });
    await watched.until(() => watched.following().scannedOnce());
    await rename(local.path('camera'), local.path('moved'));
    await watched.until(() => watched.following().condition() === 'missing');
    await symlink(local.path('other'), local.path('camera'));
    await watched.until(() => isConfirmed(watched, 'a.jpg'));
    expect(watched.following().notice()).toBeNull();
    await rm(local.path('camera'));
    await mkdir(local.path('camera'));
    await local.write('camera/b.jpg', tinyJpeg(2));
    await watched.until(() => isConfirmed(watched, 'b.jpg'));
    expect(storedRule(watched)).toMatchObject({ directory: local.path('camera'), link: null });
    await expectAll(world, watched);
  });
});

test('files that still wait when the link is switched are sent, also those with the names of new ones', async () => {
  const world = await linkedWorld();
  await world.local.write('day1/a.jpg', tinyJpeg(1));
  const watched = await watchCurrent(world);
  watched.hold(true);
  await watched.until(() => watched.states()['a.jpg'] !== undefined);
  await world.local.write('day2/a.jpg', tinyJpeg(2));
  await world.local.write('day2/b.jpg', tinyJpeg(3));
  await switchTo(world, 'day2');
  await watched.until(() => watched.states()['b.jpg'] !== undefined);
  watched.hold(false);
  await watched.until(() => world.service.state.objects('line').length === 3);
  await watched.until(() => isConfirmed(watched, 'a.jpg') && isConfirmed(watched, 'b.jpg'));
  await expectAll(world, watched);
});

test('a file that is written to the previous directory while the link is switched is sent', async () => {
  const world = await linkedWorld();
  const watched = await watchCurrent(world);
  await watched.until(() => watched.following().scannedOnce());
  await switchTo(world, 'day2');
  await watched.until(() => watched.following().rule().directory === world.local.path('day2'));
  // As after any change of a rule or setting: it runs as the ledger says, and is not started again.
  const following = watched.following();
  const stored = watchById(watched.store, watched.watch.id);
  if (stored !== null) watched.watching.start(stored);
  expect(watched.following()).toBe(following);
  await world.local.write('day1/late.jpg', tinyJpeg(1));
  await watched.until(() => isConfirmed(watched, 'late.jpg'));
  await expectAll(world, watched);
});

test('after a while the previous directory is left; switched back, it is watched again', async () => {
  const world = await linkedWorld();
  const { local } = world;
  let listening: readonly string[] = [];
  const watched = await watchCurrent(world, {
    times: { lingerMs: 0 },
    wraps: [
      filesWith((files) => ({
        notify: (directory, wants) => {
          const notifying = files.notify(directory, wants);
          listening = [...listening, directory];
          return {
            ...notifying,
            close: async () => {
              await notifying.close();
              listening = listening.filter((one) => one !== directory);
            },
          };
        },
      })),
    ],
  });
  for (const [index, day] of ['day2', 'day1', 'day2'].entries()) {
    await switchTo(world, day);
    await local.write(`current/${index}.jpg`, tinyJpeg(index));
    await watched.until(() => isConfirmed(watched, `${index}.jpg`));
    await watched.until(() => listening.length === 1 && listening[0] === local.path(day));
  }
  await watched.until(() => watched.following().rested());
  await expectAll(world, watched);
  expect(listening).toEqual([]);
});

test('a link to a directory that may not be watched: the watch says so and stays where it is', async () => {
  const world = await linkedWorld();
  const { local } = world;
  const watched = await watchCurrent(world);
  await symlink(world.dataDirectory, local.path('next'));
  await rename(local.path('next'), local.path('current'));
  await watched.until(() => watched.following().notice() !== null);
  expect(watched.following().notice()).toMatch(
    /current now leads to .*data, which cannot be watched: this directory holds the data of Sluice.*continues in .*day1\.$/,
  );
  await local.write('day1/a.jpg', tinyJpeg(1));
  await watched.until(() => isConfirmed(watched, 'a.jpg'));
  await switchTo(world, 'day2');
  await local.write('day2/b.jpg', tinyJpeg(2));
  await watched.until(() => isConfirmed(watched, 'b.jpg'));
  expect(watched.following().notice()).toBeNull();
  await expectAll(world, watched);
});

test('a link that leads to nothing: the wait names the link, and ends when it leads to a directory', async () => {
  const world = await linkedWorld();
  const { local } = world;
  const watched = await watchCurrent(world);
  await watched.until(() => watched.following().scannedOnce());
  await rm(local.path('day1'), { recursive: true });
  await watched.until(() => watched.following().condition() === 'missing');
  const waits = (): readonly unknown[] => readWaits(watched.store, Date.now(), true);
  await watched.until(() => waits().length > 0);
  expect(waits()).toMatchObject([{ kind: 'watch', name: local.path('current') }]);
  await local.write('day2/a.jpg', tinyJpeg(1));
  await switchTo(world, 'day2');
  await watched.until(() => isConfirmed(watched, 'a.jpg'));
  expect(waits()).not.toMatchObject([{ kind: 'watch' }]);
  await expectAll(world, watched);
});

test('a link that was switched while nothing ran: the files of both directories are sent', async () => {
  const world = await linkedWorld();
  const first = await watchCurrent(world);
  await first.until(() => first.following().scannedOnce());
  await first.stop();
  await world.local.write('day1/late.jpg', tinyJpeg(1));
  await world.local.write('day2/b.jpg', tinyJpeg(2));
  await switchTo(world, 'day2');
  const again = await watchCurrent(world);
  expect(again.watch.id).toBe(first.watch.id);
  await again.until(() => isConfirmed(again, 'late.jpg') && isConfirmed(again, 'b.jpg'));
  await expectAll(world, again);
});

test('the rule is edited as it was before the link was switched: the watch stays where the link leads', async () => {
  const world = await linkedWorld();
  const watched = await watchCurrent(world);
  await switchTo(world, 'day2');
  await watched.until(() => storedRule(watched)?.directory === world.local.path('day2'));
  const { ports } = watched.running.pipeline;
  const book = { store: watched.store, ports, dataDirectory: world.dataDirectory };
  await rm(world.local.path('day1'), { recursive: true });
  const edited = { ...watched.watch.rule, exclude: ['x-*'] };
  expect(await changeWatch(book, watched.watch.id, toRule(edited))).toMatchObject({ ok: true });
  expect(storedRule(watched)).toMatchObject({
    directory: world.local.path('day2'),
    link: world.local.path('current'),
    exclude: ['x-*'],
  });
});

test('a command that names the link continues the watch of an earlier one, wherever the link leads', async () => {
  const world = await linkedWorld();
  const { local } = world;
  const watched = await watchWorld(world, { rule: { batch: 'other' } });
  await watched.watching.end(watched.watch.id);
  const { ports, connectionId } = watched.running.pipeline;
  const { store } = watched;
  store.run(`UPDATE watches SET state = 'removed' WHERE id = ?`, watched.watch.id);
  const book = { store, ports, dataDirectory: world.dataDirectory };
  const named = async (path: string): Promise<Watch> => {
    return valueOf(await ensureOneOffWatch(book, connectionId, ruleOf(world, { directory: path })));
  };
  const real = await named(local.path('day1'));
  const asLink = await named(local.path('current'));
  expect(asLink).toMatchObject({ id: real.id, destinationId: real.destinationId });
  await switchTo(world, 'day2');
  const switched = await named(local.path('current'));
  expect(switched).toMatchObject({ id: real.id, destinationId: real.destinationId });
  expect(switched.rule).toMatchObject({
    directory: local.path('day2'),
    link: local.path('current'),
  });
  // Another directory is another watch.
  expect((await named(local.path('day1'))).id).not.toBe(real.id);
});
