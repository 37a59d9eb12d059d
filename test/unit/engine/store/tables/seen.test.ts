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
  const destinations = [ledger.destinationId];
  markSeen(store, [copy]);
  expect(tallySeen(store, destinations)).toMatchObject({ found: 1, open: 1, skipped: 0 });
  markSeen(store, [original]);
  expect(tallySeen(store, destinations)).toMatchObject({ found: 2, open: 2, skipped: 0 });
  moveItem(store, original, 'confirmed', 2000);
  expect(tallySeen(store, destinations)).toMatchObject({ found: 2, open: 0, skipped: 1 });
});

test('the kept counts say the same as counting what was seen, and only that', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const destinations = [ledger.destinationId];
  const seen = [ledger.item('/a.jpg'), ledger.item('/b.jpg'), ledger.item('/c.jpg')];
  moveItem(store, seen[0] ?? 0, 'confirmed', 2000);
  moveItem(store, seen[1] ?? 0, 'parked', 2000, { code: 'item.unreadable', detail: null });
  markSeen(store, seen);
  const kept = tallySeen(store, destinations);
  expect(kept).toMatchObject({ found: 3, confirmed: 1, attention: 1, open: 1, queued: 1 });
  // One that an earlier run left there: now each is looked at.
  ledger.item('/earlier.jpg');
  expect(tallySeen(store, destinations)).toEqual(kept);
});
