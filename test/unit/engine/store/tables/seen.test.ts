/** What a running command counts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  markSeen,
  reasonsSeen,
  replaceSeen,
  seenByBatch,
  tallySeen,
} from '../../../../../main/engine/store/tables/seen.ts';
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
  expect(reasonsSeen(store)).toEqual([]);
  moveItem(store, original, 'confirmed', 2000);
  expect(tallySeen(store, destinations)).toMatchObject({ found: 2, open: 0, skipped: 1 });
  expect(reasonsSeen(store)).toMatchObject([{ reason: 'item.duplicate', count: 1 }]);
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

test('batches and reasons are counted over all items, however far apart, and only those that were seen', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const { itemIds } = ledger.transfer(batch, ['/a.jpg', '/b.jpg', '/c.jpg']);
  const [first = 0, second = 0, unseen = 0] = itemIds;
  const bad = ['/x.jpg', '/y.jpg', '/z.jpg', '/w.jpg'].map((path) => ledger.item(path));
  const [x = 0, y = 0, z = 0, w = 0] = bad;
  for (const id of [x, y, unseen])
    moveItem(store, id, 'parked', 2000, { code: 'item.unreadable', detail: null });
  moveItem(store, z, 'parked', 2000, { code: 'item.truncated', detail: null });
  moveItem(store, w, 'skipped', 2000, { code: 'item.empty', detail: null });
  store.run('UPDATE items SET id = id + 3000000 WHERE id IN (?, ?)', second, y);
  expect(seenByBatch(store).size).toBe(0);
  expect(reasonsSeen(store)).toEqual([]);
  markSeen(store, [first, second + 3_000_000, x, y + 3_000_000, z, w]);
  expect([...seenByBatch(store)]).toEqual([[batch.id, 2]]);
  expect(reasonsSeen(store)).toEqual([
    { state: 'parked', reason: 'item.unreadable', count: 2, example: '/x.jpg' },
    { state: 'parked', reason: 'item.truncated', count: 1, example: '/z.jpg' },
    { state: 'skipped', reason: 'item.empty', count: 1, example: '/w.jpg' },
  ]);
});

test('marked in any order, and replaced: each item counts once', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const ids = Array.from({ length: 60 }, (_, number) => ledger.item(`/${number}.jpg`));
  // One that was skipped: the kept counts are not used.
  moveItem(store, ids[0] ?? 0, 'skipped', 2000, { code: 'item.empty', detail: null });
  const anyId = fc.constantFrom(...ids);
  const mark = fc.record({ mark: fc.array(anyId, { maxLength: 12 }) });
  const replace = fc.record({ replace: fc.tuple(anyId, anyId) });
  fc.assert(
    fc.property(fc.array(fc.oneof(mark, replace), { maxLength: 20 }), (steps) => {
      store.run('DELETE FROM temp.seen');
      const expected = new Set<number>();
      for (const step of steps) {
        if ('mark' in step) {
          markSeen(store, step.mark);
          for (const id of step.mark) expected.add(id);
          continue;
        }
        const [oldId, newId] = step.replace;
        replaceSeen(store, oldId, newId);
        if (expected.delete(oldId)) expected.add(newId);
      }
      const breaks = [...expected].filter((id) => !expected.has(id - 1)).length;
      expect(store.count('SELECT count(*) AS count FROM temp.seen')).toBe(breaks);
      expect(tallySeen(store, [ledger.destinationId]).found).toBe(expected.size);
    }),
    { numRuns: 200 },
  );
});
