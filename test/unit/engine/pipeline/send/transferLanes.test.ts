/** Transfer lanes wake up in time for what waits. */
import { expect, test } from 'vitest';
import { createTransferLanes } from '../../../../../main/engine/pipeline/send/transferLanes.ts';
import { fail, type Result, sluiceError } from '../../../../../main/engine/core/errors.ts';
import {
  addTransfer,
  askLater,
  type TransferKind,
} from '../../../../../main/engine/store/tables/transfers.ts';
import type { TransferState } from '../../../../../main/engine/store/transitions.ts';
import { addWatch } from '../../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test('what falls due while the lanes check is not left to the tick', async () => {
  const ledger = createTestLedger();
  const clock = createManualClock(5000);
  const { id } = ledger.transfer(ledger.batch(), ['a.jpg']);
  askLater(ledger.store, id, 5002);
  // Each read of the clock takes a millisecond: due at the second read, not at the first.
  clock.tickPerLook(1);
  const pipeline = createTestPipeline(ledger, { clock });
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
    expect(lanes.running()).toBe(0);
  },
);

/** Lanes with planned images, whose requests wait until the test answers them. */
function sendingImages(count: number, parts: { isBound?: boolean; kind?: TransferKind } = {}) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  for (let number = 0; number < count; number += 1) {
    const name = `${number}.jpg`;
    const member = { itemId: ledger.item(name), name, nameKey: name };
    const { kind = 'image' } = parts;
    const planned = { batchRow: batch.id, kind, sizeBytes: 100, notification: null };
    addTransfer(store, planned, [member], 1000);
  }
  const asked: PromiseWithResolvers<Result<never>>[] = [];
  const ask = (): Promise<Result<never>> => {
    const answer = Promise.withResolvers<Result<never>>();
    asked.push(answer);
    return answer.promise;
  };
  const clock = createManualClock();
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: { uploadImage: ask, registerVideo: ask },
  });
  const throttleUp = { isBound: () => parts.isBound ?? false, take: () => Promise.resolve(1) };
  const hold = { back: false };
  const lanes = createTransferLanes(
    { ...pipeline, throttleUp },
    () => ({ least: 1, most: 2 }),
    () => hold.back,
    () => 'oldest',
  );
  const states = (state: TransferState): number =>
    store.all('SELECT 1 FROM transfers WHERE state = ?', state).length;
  return { ledger, pipeline, lanes, asked, states, hold, clock };
}

test('images are recorded while others are on the network, which are no more than the lanes', async () => {
  const { lanes, asked, states } = sendingImages(60);
  await lanes.step();
  await expect.poll(() => states('sending')).toBeGreaterThan(10);
  expect(states('sending')).toBe(lanes.running());
  expect(asked).toHaveLength(2);
  asked[0]?.resolve(fail('network.timeout'));
  await expect.poll(() => asked.length).toBe(3);
});

test('an outage stops the images that wait for their turn: nothing of them left', async () => {
  const { pipeline, lanes, asked, states, ledger } = sendingImages(20);
  await lanes.step();
  await expect.poll(() => states('sending')).toBe(20);
  pipeline.gate.failed('send', sluiceError('service.quota'));
  for (const one of asked.splice(0)) one.resolve(fail('service.quota'));
  await lanes.drained();
  expect(asked).toHaveLength(0);
  expect(states('planned')).toBe(20);
  expect(ledger.store.all('SELECT 1 FROM transfers WHERE doubtful = 1')).toEqual([]);
  expect(ledger.store.all(`SELECT 1 FROM items WHERE state = 'planned'`)).toHaveLength(20);
});

test('a pause stops those that wait, too', async () => {
  const { lanes, asked, states, hold } = sendingImages(20);
  await lanes.step();
  await expect.poll(() => states('sending')).toBe(20);
  hold.back = true;
  for (const one of asked.splice(0)) one.resolve(fail('service.busy'));
  await lanes.drained();
  expect(asked).toHaveLength(0);
  expect(states('planned')).toBe(20);
});

test('a batch that was paused during a long wait gets nothing more', async () => {
  const { lanes, asked, states, ledger, clock } = sendingImages(20);
  await lanes.step();
  await expect.poll(() => states('sending')).toBe(20);
  ledger.store.run('UPDATE batches SET paused = 1');
  clock.advance(1000);
  for (const one of asked.splice(0)) one.resolve(fail('service.busy'));
  await lanes.drained();
  expect(asked).toHaveLength(0);
  expect(states('planned')).toBe(20);
});

test.each([
  ['images that a bound slows', { isBound: true }],
  ['videos, which use the network from their first step on', { kind: 'video' }],
] as const)('none wait beside %s', async (_, parts) => {
  const { lanes } = sendingImages(20, parts);
  await lanes.step();
  expect(lanes.running()).toBe(2);
});
