/** Watches that are changed, paused or removed while they work: only the latest state in the ledger applies. */
import { describe, expect, test } from 'vitest';
import { enterWatch, removeWatch, type Watch } from '../../main/engine/watches/registry.ts';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { heldReads, requestsThrough } from './ports.ts';
import { countingListeners, until, type WatchedWorld, watchWorld } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';
import { valueOf } from '../helpers/results.ts';

/** A watch in the middle of reading its first file. */
async function whileReading() {
  const world = await createWorld();
  const reads = heldReads();
  const listeners = countingListeners();
  await world.local.write('first.jpg', tinyJpeg(1));
  const watched = await watchWorld(world, { wraps: [reads.wrap, listeners.wrap] });
  await watched.until(reads.isReading);
  return {
    world,
    watched /** Listeners that are open now. */,
    listening: listeners.open /** Releases the file read that blocks everything. */,
    release: reads.release,
  };
}

function withRule(watch: Watch, given: Partial<WatchRule>): Watch {
  return { ...watch, rule: { ...watch.rule, ...given } };
}

test('edited, then removed while it stops: nothing of it continues, nothing that was being read is sent', async () => {
  const { watched, listening, release } = await whileReading();
  watched.watching.start(withRule(watched.watch, { exclude: ['x-*'] }));
  removeWatch(watched.store, watched.watch.id, 'forget', Date.now());
  const ended = watched.watching.end(watched.watch.id);
  release();
  await ended;
  await until(() => listening() === 0);
  expect(watched.watching.watch(watched.watch.id)).toBeNull();
  expect(watched.states()).toEqual({});
});

test('removed by another program while its files are read: none of them is sent', async () => {
  const { watched, release } = await whileReading();
  removeWatch(watched.store, watched.watch.id, 'forget', Date.now());
  release();
  await watched.until(() => watched.following().scannedOnce());
  expect(watched.states()).toEqual({});
});

async function addAgain(world: World, { store, running, watch }: WatchedWorld): Promise<Watch> {
  const { ports, connectionId } = running.pipeline;
  const book = { store, ports, dataDirectory: world.dataDirectory };
  return valueOf(await enterWatch(book, connectionId, watch.rule));
}

describe('forgotten before anything of it left', () => {
  /** Two files, one of them twice, planned by a watch and then forgotten together with it. */
  async function forgotten(): Promise<{ world: World; watched: WatchedWorld }> {
    const world = await createWorld();
    await world.local.write('a.jpg', tinyJpeg(1));
    await world.local.write('again/a.jpg', tinyJpeg(1));
    await world.local.write('b.jpg', tinyJpeg(2));
    await world.local.remember();
    const watched = await watchWorld(world, { rule: { batch: 'batch-1' } });
    watched.hold(true);
    await watched.until(() => Object.values(watched.states()).includes('planned'));
    removeWatch(watched.store, watched.watch.id, 'forget', Date.now());
    await watched.watching.end(watched.watch.id);
    watched.hold(false);
    expect(new Set(Object.values(watched.states()))).toEqual(new Set(['skipped item.stopped']));
    return { world, watched };
  }

  test('added again, the watch sends everything', async () => {
    const { world, watched } = await forgotten();
    const again = await addAgain(world, watched);
    expect(again.destinationId).toBe(watched.watch.destinationId);
    watched.watching.start(again);
    await watched.until(
      () => Object.values(watched.states()).filter((state) => state === 'confirmed').length === 2,
    );
    await watched.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test('an upload of the same files sends everything', async () => {
    const { world, watched } = await forgotten();
    await watched.stop();
    const { tally } = await world.upload();
    expect(tally).toMatchObject({ found: 3, confirmed: 2, skipped: 1, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

test('forgotten while an address for it is asked for: the pipeline goes on, nothing is sent', async () => {
  const world = await createWorld();
  const gate = Promise.withResolvers<undefined>();
  let asked = false;
  const slowRegistration = requestsThrough(async (http, request) => {
    if (request.method === 'POST' && /bulk-upload/.test(request.url)) {
      asked = true;
      await gate.promise;
    }
    return http.request(request);
  });
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.remember();
  const watched = await watchWorld(world, { wraps: [slowRegistration] });
  await watched.until(() => asked);
  removeWatch(watched.store, watched.watch.id, 'forget', Date.now());
  const ended = watched.watching.end(watched.watch.id);
  gate.resolve(undefined);
  await ended;
  await watched.until(() => watched.running.runningTransfers() === 0);
  expect(watched.states()).toEqual({ 'a.jpg': 'skipped item.stopped' });
  expect(world.requestCount('PUT', /storage/)).toBe(0);
  watched.watching.start(await addAgain(world, watched));
  await watched.until(() => watched.states()['a.jpg'] === 'confirmed');
  await watched.stop();
  await world.expectExactlyOnce({ allConfirmed: true });
});
