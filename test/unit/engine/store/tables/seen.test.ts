/** What a running command counts. */
import { expect, test } from 'vitest';
import { markSeen, tallySeen } from '../../../../../main/engine/store/tables/seen.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

test('a duplicate is open as long as the file that it repeats is', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const original = ledger.item('/a.jpg');
  const copy = ledger.item('/b.jpg', {
    state: 'skipped',
    reason: { code: 'item.duplicate', detail: null },
    duplicateOf: original,
  });
  markSeen(store, [copy]);
  expect(tallySeen(store)).toMatchObject({ found: 1, open: 1, skipped: 0 });
  moveItem(store, original, 'confirmed', 2000);
  expect(tallySeen(store)).toMatchObject({ found: 1, open: 0, skipped: 1 });
});
