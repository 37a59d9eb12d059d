/** Watches that are changed, paused or removed while they are at work: only what the ledger says last goes on. */
import { expect, test } from 'vitest';
import { removeWatch, type Watch } from '../../main/engine/watchBook.ts';
import type { WatchRule } from '../../preload/watchRule.ts';
import { tinyJpeg } from '../helpers/media.ts';
import type { Wrap } from './ports.ts';
import { until, type WatchedWorld, watchWorld } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';

interface Scene {
  readonly world: World;
  readonly watched: WatchedWorld;
  /** Listeners that are open now. */
  listening(): number;
  /** Lets the reading of files that holds everything up end. */
  release(): void;
}

/** A watch in the middle of reading its first file. */
async function whileReading(): Promise<Scene> {
  const world = await createWorld();
  const gate = Promise.withResolvers<undefined>();
  let reading = false;
  let listening = 0;
  const held: Wrap = (ports) => ({
    ...ports,
    files: {
      ...ports.files,
      inspect: async (paths) => {
        reading = true;
        await gate.promise;
        return ports.files.inspect(paths);
      },
      notify: (directory, wants) => {
        const notifying = ports.files.notify(directory, wants);
        listening += 1;
        return {
          ...notifying,
          close: async () => {
            await notifying.close();
            listening -= 1;
          },
        };
      },
    },
  });
  await world.local.write('first.jpg', tinyJpeg(1));
  const watched = await watchWorld(world, { wraps: [held] });
  await watched.until(() => reading);
  return { world, watched, listening: () => listening, release: () => gate.resolve(undefined) };
}

function withRule(watch: Watch, given: Partial<WatchRule>): Watch {
  return { ...watch, rule: { ...watch.rule, ...given } };
}

test('edited twice while the first rule stops: only the last rule goes on', async () => {
  const { world, watched, listening, release } = await whileReading();
  watched.watching.start(withRule(watched.watch, { exclude: ['old-*'] }));
  watched.watching.start(withRule(watched.watch, { exclude: ['new-*'] }));
  release();
  await watched.until(() => watched.watching.watch(watched.watch.id)?.scannedOnce() === true);
  expect(listening()).toBe(1);
  await world.local.write('new-1.jpg', tinyJpeg(2));
  await world.local.write('old-1.jpg', tinyJpeg(3));
  await watched.until(() => watched.states()['old-1.jpg'] === 'confirmed');
  expect(watched.states()).toEqual({ 'first.jpg': 'confirmed', 'old-1.jpg': 'confirmed' });
  await watched.stop();
  expect(listening()).toBe(0);
});

test('edited, then removed while it stops: nothing of it goes on, nothing that was being read is sent', async () => {
  const { watched, listening, release } = await whileReading();
  watched.watching.start(withRule(watched.watch, { exclude: ['x-*'] }));
  removeWatch(watched.store, watched.watch, 'forget', Date.now());
  const ended = watched.watching.end(watched.watch.id);
  release();
  await ended;
  await until(() => listening() === 0);
  expect(watched.watching.watch(watched.watch.id)).toBeNull();
  expect(watched.states()).toEqual({});
});

test('removed by another program while its files are read: none of them is sent', async () => {
  const { watched, release } = await whileReading();
  removeWatch(watched.store, watched.watch, 'forget', Date.now());
  release();
  await watched.until(() => watched.motion().scannedOnce());
  expect(watched.states()).toEqual({});
});
