/** The history and the search agree with the items, and stay fast with a million of them. */
import { expect, test } from 'vitest';
import { findFiles } from '../../../../main/engine/queries/fileSearch.ts';
import { daysUntil, historyDays } from '../../../../main/engine/queries/history.ts';
import { reidentify, itemById } from '../../../../main/engine/store/tables/items.ts';
import { confirmItems, moveItem } from '../../../../main/engine/store/transitions.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';

function agree({ store }: TestLedger): void {
  const kept = store.all('SELECT * FROM found_counts WHERE found <> 0 ORDER BY 1, 2');
  expect(kept).toEqual(
    store.all(
      `SELECT found_at / 900000 AS period, destination_id, count(*) AS found, sum(size_bytes) AS bytes,
         sum(state = 'confirmed') AS confirmed, sum(state = 'skipped') AS skipped, sum(state = 'parked') AS parked
       FROM items GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
  );
}

const NOON = new Date(2026, 10, 21, 12, 0).getTime();

test('what a day brought is counted as its items move', () => {
  const ledger = createTestLedger(NOON);
  const { store, connectionId } = ledger;
  const batch = ledger.batch();
  const { id, itemIds } = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  const bad = ledger.item('/c.jpg');
  const other = ledger.item('/d.jpg', { sizeBytes: 5 });
  agree(ledger);
  ledger.sent(id, 3);
  confirmItems(store, itemIds, 4);
  moveItem(store, bad, 'parked', 5, { code: 'item.unreadable', detail: null });
  const item = itemById(store, other);
  if (item === null) throw new Error('it is there');
  reidentify(store, item, identified('other', { sizeBytes: 7000 }), 7);
  moveItem(store, other, 'skipped', 8, { code: 'item.ignored', detail: null });
  store.run('UPDATE items SET found_at = ? WHERE id = ?', NOON - 26 * 3_600_000, other);
  agree(ledger);
  const days = historyDays(store, connectionId, { until: NOON, days: 7 });
  expect(days.map(({ day }) => day)).toEqual(['2026-11-21', '2026-11-20']);
  expect(days[0]?.sources).toEqual([
    {
      destinationId: ledger.destinationId,
      watchId: null,
      name: 'batch-1',
      found: 3,
      bytes: 300,
      confirmed: 2,
      skipped: 0,
      attention: 1,
    },
  ]);
  expect(days[1]?.sources).toMatchObject([{ found: 1, skipped: 1 }]);
  moveItem(store, bad, 'queued', 9);
  store.run('DELETE FROM items WHERE id = ?', bad);
  agree(ledger);
});

test('days are those of the calendar, also where the clock changes', () => {
  const days = daysUntil(NOON, 400);
  expect(days).toHaveLength(400);
  expect(days.every(({ from }, at) => from === (days[at + 1]?.until ?? from))).toBe(true);
});

test('a file is found by how its name begins, then by a part of its path, in this connection only', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  ledger.item('/photos/left/IMG_00123.jpg');
  ledger.item('/photos/img_00123/other.png');
  ledger.item('C:\\photos\\IMG_001999.jpg');
  const found = (search: string): readonly string[] =>
    findFiles(store, connectionId, search, 10).map(({ path }) => path);
  expect(found('img_00123')).toEqual(['/photos/left/IMG_00123.jpg']);
  expect(found('IMG_001')).toEqual(['/photos/left/IMG_00123.jpg', 'C:\\photos\\IMG_001999.jpg']);
  expect(found('00123')).toHaveLength(2);
  expect(found('100%')).toEqual([]);
  expect(found('x')).toEqual([]);
  expect(findFiles(store, connectionId + 1, 'img', 10)).toEqual([]);
  const plan = store.all(
    `EXPLAIN QUERY PLAN SELECT id FROM items
     WHERE lower(substr(path, length(rtrim(path, replace(replace(path, '/', ''), '\\', ''))) + 1)) >= 'img'
       AND lower(substr(path, length(rtrim(path, replace(replace(path, '/', ''), '\\', ''))) + 1)) < 'imh'`,
  );
  expect(JSON.stringify(plan)).toContain('items_file_name');
});
