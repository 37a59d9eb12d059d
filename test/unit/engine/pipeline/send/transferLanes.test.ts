/** The lanes of transfers come back in time for what waits. */
import { expect, test } from 'vitest';
import { createTransferLanes } from '../../../../../main/engine/pipeline/send/transferLanes.ts';
import { fail, ok, type Result, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { noteAbsence } from '../../../../../main/engine/store/queue/lost.ts';
import {
  addTransfers,
  askLater,
  saveUpload,
  transferById,
} from '../../../../../main/engine/store/tables/transfers.ts';
import type { Transfer } from '../../../../../main/engine/store/tables/transfers.ts';
import { addWatch } from '../../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import type { SourceOptions } from '../../../../../main/engine/core/ports.ts';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test('what falls due while the lanes look is not left to the tick', async () => {
  const ledger = createTestLedger();
  const clock = createManualClock(5000);
  const { id } = ledger.transfer(ledger.batch(), ['a.jpg']);
  const pipeline = createTestPipeline(ledger, { clock });
  // Each look at the clock takes a millisecond: due at the second look, not at the first.
  askLater(ledger.store, id, pipeline.time.now() + 1);
  clock.tickPerLook(1);
  const lanes = createTransferLanes(
    pipeline,
    () => ({ least: 1, most: 4 }),
    () => false,
    () => 'oldest',
  );
  const again = await lanes.step();
  expect(lanes.running()).toBe(0);
  expect(again).not.toBeNull();
  expect(again).toBeLessThan(1000);
});

test('while nothing may start, the end of a pause by another program is noticed within a second', async () => {
  const ledger = createTestLedger();
  ledger.transfer(ledger.batch(), ['a.jpg']);
  const pipeline = createTestPipeline(ledger);
  const lanes = createTransferLanes(
    pipeline,
    () => ({ least: 1, most: 4 }),
    () => true,
    () => 'oldest',
  );
  expect(await lanes.step()).toBeLessThanOrEqual(1000);
  expect(lanes.running()).toBe(0);
});

test.each(['batch', 'watch'])(
  'the end of the pause of a %s by another program is noticed within a second',
  async (what) => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const watch = addWatch(store, connectionId, standardRule('/a', 'a'), 'a', false, 1);
    const batch = ledger.batch();
    ledger.transfer(batch, ['a.jpg']);
    store.run('UPDATE batches SET watch_id = ?', watch.id);
    store.run(
      what === 'batch' ? 'UPDATE batches SET paused = 1' : `UPDATE watches SET state = 'paused'`,
    );
    const lanes = createTransferLanes(
      createTestPipeline(ledger),
      () => ({ least: 1, most: 4 }),
      () => false,
      () => 'oldest',
    );
    expect(await lanes.step()).toBeLessThanOrEqual(1000);
    expect(await lanes.step()).toBeLessThanOrEqual(1000);
    expect(lanes.running()).toBe(0);
    store.run('UPDATE batches SET paused = 0');
    store.run(`UPDATE watches SET state = 'active'`);
    await lanes.step();
    expect(lanes.running()).toBe(1);
  },
);

const SIGNED = {
  url: 'http://127.0.0.1:1/v',
  headers: {},
  maxBytes: null,
  maxMembers: null,
  expiresAt: null,
};

/** Lanes with planned images, whose requests wait until the test answers them. */
function sendingImages(
  count: number,
  parts: {
    isBound?: boolean;
    kind?: Transfer['kind'];
    most?: number;
    /** Called for each body that has an address, with what counts its bytes as they leave. */
    onBody?: (onSent: SourceOptions['onSent']) => void;
  } = {},
) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  for (let number = 0; number < count; number += 1) {
    const name = `${number}.jpg`;
    const member = { itemId: ledger.item(name), name, nameKey: name };
    const { kind = 'image' } = parts;
    const planned = { kind, sizeBytes: 100, notification: null, members: [member] };
    addTransfers(store, batch.id, [planned], 1000);
  }
  const asked: PromiseWithResolvers<Result<never>>[] = [];
  const names: string[] = [];
  const ask = (): Promise<Result<never>> => {
    const answer = Promise.withResolvers<Result<never>>();
    asked.push(answer);
    return answer.promise;
  };
  const clock = createManualClock();
  const files = createInlineFiles();
  const { onBody } = parts;
  const pipeline = createTestPipeline(ledger, {
    clock,
    files: {
      ...files,
      openSources(plan, options, signal) {
        onBody?.(options.onSent);
        return files.openSources(plan, options, signal);
      },
    },
    client: {
      uploadImage: ({ fileName }) => {
        names.push(fileName);
        return ask();
      },
      registerVideo: onBody === undefined ? ask : () => Promise.resolve(ok(SIGNED)),
      putSigned: ask,
      registerShard: ask,
      askCount: () => Promise.resolve(ok(null)),
    },
  });
  const throttle = { isBound: () => parts.isBound ?? false, take: () => Promise.resolve(1) };
  const hold = { back: false, stop: new AbortController() };
  const lanes = createTransferLanes(
    { ...pipeline, throttle, signal: hold.stop.signal },
    () => ({ least: 1, most: parts.most ?? 2 }),
    () => hold.back,
    () => 'oldest',
  );
  const states = (state: Transfer['state']): number =>
    store.all('SELECT 1 FROM transfers WHERE state = ?', state).length;
  return { ledger, pipeline, lanes, asked, names, states, hold, clock, batch };
}

test('images wait for their turn without being recorded as begun', async () => {
  const { lanes, asked, states } = sendingImages(60);
  await lanes.step();
  await expect.poll(() => asked.length).toBe(2);
  expect(lanes.running()).toBe(50);
  expect(states('sending')).toBe(2);
  asked[0]?.resolve(fail('network.timeout'));
  await expect.poll(() => asked.length).toBe(3);
});

test.each([
  ['an outage', 'quota'],
  ['a pause', 'pause'],
  ['the pause of the batch', 'batch'],
  ['the end of the program', 'stop'],
] as const)('%s stops the images that wait for their turn', async (_, what) => {
  const { pipeline, lanes, asked, states, ledger, hold } = sendingImages(20);
  await lanes.step();
  await expect.poll(() => asked.length).toBe(2);
  if (what === 'quota') pipeline.gate.failed('send', sluiceError('service.quota'));
  if (what === 'pause') hold.back = true;
  if (what === 'batch') ledger.store.run('UPDATE batches SET paused = 1');
  if (what === 'stop') hold.stop.abort();
  for (const one of asked.splice(0)) one.resolve(fail('service.busy'));
  await lanes.drained();
  expect(asked).toHaveLength(0);
  expect(states('planned')).toBe(20);
  expect(ledger.store.all('SELECT 1 FROM transfers WHERE attempts > 0')).toHaveLength(2);
});

test.each(['image', 'video', 'shard'] as const)(
  'what counted as lost is looked for again before it is sent, unless that was just done: %s',
  async (kind) => {
    const { pipeline, lanes, asked, ledger, states } = sendingImages(4, { most: 4, kind });
    const { store } = ledger;
    const now = pipeline.time.now();
    const minuteAgo = now - 60_000;
    store.run('UPDATE transfers SET last_byte_at = ? WHERE id < 4', minuteAgo);
    noteAbsence(store, 1, now);
    for (const id of [2, 3]) noteAbsence(store, id, minuteAgo);
    if (kind !== 'image') saveUpload(store, 3, { url: 'a', headers: {}, expiresAt: null }, now);
    await lanes.step();
    await expect
      .poll(() => ({ unknown: states('unknown'), asked: asked.length }))
      .toEqual({ unknown: 2, asked: 2 });
    for (const id of [2, 3])
      expect(transferById(store, id)).toMatchObject({ state: 'unknown', lastByteAt: minuteAgo });
  },
);

test('a single image that tests whether an outage is over may go', async () => {
  const { pipeline, lanes, asked, clock } = sendingImages(20);
  pipeline.gate.failed('send', sluiceError('service.quota'));
  clock.advance((pipeline.gate.blocked('send')?.nextAt ?? 0) + 1);
  await lanes.step();
  await expect.poll(() => asked.length).toBe(1);
  expect(lanes.running()).toBe(1);
});

/** Lanes that are closed after images of a batch failed, while two of another batch are due. */
async function afterFailures() {
  const scene = sendingImages(20);
  const { pipeline, lanes, asked, ledger } = scene;
  const other = ledger.batch({ mode: 'single', batchId: 'other', generation: 2 });
  const images = [1, 2].map((number) => {
    const name = `other-${number}.jpg`;
    const members = [{ itemId: ledger.item(name), name, nameKey: name }];
    return { kind: 'image', sizeBytes: 100, notification: null, members } as const;
  });
  addTransfers(ledger.store, other.id, images, 1000);
  await lanes.step();
  await expect.poll(() => asked.length).toBe(2);
  pipeline.gate.failed('send', sluiceError('service.quota'));
  for (const one of asked.splice(0)) one.resolve(fail('service.failed'));
  await lanes.drained();
  scene.names.length = 0;
  return scene;
}

test('another batch than the one that fails tests whether an outage is over, and goes first for a while', async () => {
  const { pipeline, lanes, names, clock } = await afterFailures();
  // The pause of the gate is shorter than that of the batch, because of its jitter.
  clock.advance(900);
  await lanes.step();
  await expect.poll(() => names).toEqual(['other-1.jpg']);
  pipeline.gate.succeeded('send');
  await lanes.step();
  expect(lanes.running()).toBe(2);
  clock.advance(100);
  await lanes.step();
  expect(lanes.running()).toBeGreaterThan(2);
});

test('it does so even if the pause of the batch that fails is over before the test', async () => {
  const { lanes, names, clock } = await afterFailures();
  clock.advance(1_100);
  await lanes.step();
  await expect.poll(() => names).toEqual(['other-1.jpg']);
});

test('of batches that all fail, the one that failed longest ago tests whether an outage is over', async () => {
  const { pipeline, lanes, asked, names, clock } = await afterFailures();
  for (const tested of [['other-1.jpg'], ['0.jpg'], ['other-1.jpg'], ['0.jpg']]) {
    clock.advance(60_000);
    await lanes.step();
    await expect.poll(() => names).toEqual(tested);
    names.length = 0;
    pipeline.gate.failed('send', sluiceError('service.quota'));
    for (const one of asked.splice(0)) one.resolve(fail('service.failed'));
    await lanes.drained();
  }
});

test('after a few refusals in a row, those that wait for their turn let images from elsewhere go first', async () => {
  const { lanes, asked, names } = sendingImages(90);
  await lanes.step();
  await expect
    .poll(() => {
      for (const one of asked.splice(0)) one.resolve(fail('service.refused', { status: 400 }));
      return lanes.running();
    })
    .toBe(0);
  const first = names.splice(0);
  expect(first.length).toBeLessThan(10);
  await lanes.step();
  await expect.poll(() => names.length).toBe(2);
  expect(lanes.running()).toBe(2);
  expect(names).not.toContain(`${first.length}.jpg`);
});

test('a video behind images waits for a free lane', async () => {
  const { lanes, ledger, batch } = sendingImages(4);
  const members = [{ itemId: ledger.item('v.mp4'), name: 'v.mp4', nameKey: 'v.mp4' }];
  const video = { kind: 'video', sizeBytes: 100, notification: null, members } as const;
  addTransfers(ledger.store, batch.id, [video], 1000);
  await lanes.step();
  expect(lanes.running()).toBe(4);
});

test('the lanes adapt to videos, of which there are few', async () => {
  const { lanes, asked, clock } = sendingImages(30, { kind: 'video', most: 16 });
  await lanes.step();
  expect(lanes.running()).toBe(4);
  await expect.poll(() => asked.length).toBe(4);
  clock.advance(1000);
  // Nothing got through in a window in which every lane was used: that many lanes are no better than half of them.
  for (const one of asked.splice(0, 2)) one.resolve(fail('network.lost'));
  await expect.poll(() => lanes.running()).toBe(2);
  await lanes.step();
  expect(lanes.running()).toBe(2);
});

test('more lanes are tried while large files are on their way, before any has ended', async () => {
  const sent: ((bytes: number) => void)[] = [];
  const { lanes, clock } = sendingImages(30, {
    kind: 'video',
    most: 16,
    onBody: (onSent) => sent.push(onSent),
  });
  expect(await lanes.step()).toBeLessThanOrEqual(1000);
  await expect.poll(() => sent.length).toBe(4);
  for (const window of [1, 2]) {
    clock.advance(1000);
    for (const onSent of sent) onSent(window * 1000);
    await lanes.step();
  }
  await expect.poll(() => sent.length).toBe(8);
});

test.each([
  ['images that a bound slows', { isBound: true }],
  ['videos, which use the network from their first step on', { kind: 'video' }],
] as const)('no more are started than run: %s', async (_, parts) => {
  const { lanes } = sendingImages(20, parts);
  await lanes.step();
  expect(lanes.running()).toBe(2);
});
