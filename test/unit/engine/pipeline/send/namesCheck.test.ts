/** Before files leave under their own names, the batch is looked at; if others fill it, they get names that no other computer uses. */
import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../../../../../main/engine/core/errors.ts';
import { createNamesCheck } from '../../../../../main/engine/pipeline/send/namesCheck.ts';
import type { Attempt } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import { type Batch, markShared } from '../../../../../main/engine/store/tables/batches.ts';
import { itemById, itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import { beginSending } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const KEPT = null;
const CHANGED = { stage: 'unsent', error: null };

function planned(given: Partial<Batch>, count: Result<number | null>) {
  const ledger = createTestLedger();
  const batch = ledger.batch(given);
  const { id, itemIds } = ledger.transfer(batch, ['a.jpg']);
  const asked = { times: 0 };
  const askCount = (): Promise<typeof count> => {
    asked.times += 1;
    return Promise.resolve(count);
  };
  const client = { askCount, askShards: () => Promise.resolve(ok(null)) };
  const pipeline = createTestPipeline(ledger, { client });
  const check = createNamesCheck(pipeline);
  const attempt = (): Attempt => {
    const items = itemsOfTransfer(ledger.store, id);
    return { pipeline, transfer: ledger.stored(id), batch, items };
  };
  const item = () => itemById(ledger.store, itemIds[0] ?? 0);
  return { ledger, check, attempt, item, asked, begin: () => beginSending(ledger.store, [id], 1) };
}

test('a batch without anything of others is looked at once', async () => {
  const { check, attempt, asked } = planned({ mode: 'single' }, ok(null));
  for (let time = 0; time < 3; time += 1) expect(await check(attempt())).toBe(KEPT);
  expect(asked.times).toBe(1);
});

test('an archive keeps its names if there is nothing but itself', async () => {
  const { check, attempt, item, begin } = planned({}, ok(1));
  // It is registered when it is checked, so it counts as being sent.
  begin();
  expect(await check(attempt())).toBe(KEPT);
  expect(item()?.name).toBe('a.jpg');
});

test('an archive in a batch that others fill too gets unique names and keeps its place', async () => {
  const { check, attempt, item, begin } = planned({}, ok(2));
  begin();
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'planned', transferId: attempt().transfer.id });
  expect(item()?.name).toMatch(/^a.+\.jpg$/);
  begin();
  expect(await check(attempt())).toBe(KEPT);
});

test.each([
  ['that turns out to be filled by others too', true],
  ['that is known to be filled by others too', false],
])('a single file in a batch %s is planned anew', async (_, isExclusive) => {
  const { check, attempt, item } = planned({ mode: 'single', isExclusive }, ok(1));
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'queued', transferId: null });
});

test('a batch that cannot be read keeps its files waiting', async () => {
  const { check, attempt, item } = planned({ mode: 'single' }, fail('network.lost'));
  expect(await check(attempt())).toMatchObject({ error: { code: 'network.lost' } });
  expect(item()?.state).toBe('planned');
});

test('a file that is tried again after others were found in its batch is planned anew, whatever an earlier look showed', async () => {
  const { ledger, check, attempt, item } = planned({ mode: 'single' }, ok(null));
  expect(await check(attempt())).toBe(KEPT);
  markShared(ledger.store, attempt().batch);
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'queued', transferId: null });
});
