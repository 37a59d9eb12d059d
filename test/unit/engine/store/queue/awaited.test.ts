import { expect, test } from 'vitest';
import { awaitedIn } from '../../../../../main/engine/store/queue/awaited.ts';
import { confirmItems } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

test('what is missing and what is confirmed is counted for each transfer', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const [half, none, whole] = [
    ['a', 'b', 'c'],
    ['d', 'e'],
    ['f', 'g'],
  ].map((paths) => ledger.transfer(batch, paths));
  if (half === undefined || none === undefined || whole === undefined) throw new Error('planned');
  for (const { id } of [half, none, whole]) ledger.sent(id, 1000);
  confirmItems(store, [...half.itemIds.slice(0, 2), ...whole.itemIds], 1000);
  const awaited = awaitedIn(store, batch.id, 1000);
  expect(
    awaited.map(({ id, missing, confirmed }) => ({ id, missing: missing.length, confirmed })),
  ).toEqual([
    { id: half.id, missing: 1, confirmed: 2 },
    { id: none.id, missing: 2, confirmed: 0 },
  ]);
});
