/** The lanes of transfers come back in time for what waits. */
import { expect, test } from 'vitest';
import { createTransferLanes } from '../../../../../main/engine/pipeline/send/transferLanes.ts';
import { askLater } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test('what falls due while the lanes look is not left to the tick', async () => {
  const ledger = createTestLedger();
  const clock = createManualClock(5000);
  const { id } = ledger.transfer(ledger.batch(), ['a.jpg']);
  askLater(ledger.store, id, 5002);
  // Each look at the clock takes a millisecond: due at the second look, not at the first.
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
