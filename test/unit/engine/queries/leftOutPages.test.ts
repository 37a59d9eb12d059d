/** Files that were left out can be found, with their reason: from the watch, from the batch, and in the overall search. */
import { expect, test } from 'vitest';
import type { LeftOutPage } from '../../../../preload/contract/records.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { knownBatch } from '../../../../main/engine/queries/batchPages.ts';
import {
  countLeftOut,
  leftOutPage,
  type LeftOutQuery,
} from '../../../../main/engine/queries/leftOutPages.ts';
import { addItem } from '../../../../main/engine/store/tables/items.ts';
import { addWatch } from '../../../../main/engine/store/tables/watches.ts';
import { createTestLedger, identified } from '../../../helpers/ledger.ts';

const ALL: LeftOutQuery = {
  destinationId: null,
  batchId: null,
  offset: 0,
  limit: 10,
  search: '',
  reason: null,
};
const EMPTY = { state: 'skipped', reason: { code: 'item.empty', detail: null } } as const;

const BROKEN = { state: 'parked', reason: { code: 'item.truncated', detail: null } } as const;

const paths = (page: LeftOutPage): readonly string[] => page.rows.map(({ path }) => path);

/** A drop into batch-1 and a watch with its own batch; each with a copy and an empty file. */
function scene() {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const copyOf = (duplicateOf: number) =>
    ({
      state: 'skipped',
      reason: { code: 'item.duplicate', detail: null },
      duplicateOf,
    }) as const;
  const dropped = ledger.batch();
  const [first = 0] = ledger.transfer(dropped, ['/drop/a.jpg']).itemIds;
  ledger.item('/drop/copy.jpg', copyOf(first));
  ledger.item('/drop/empty.jpg', EMPTY);
  ledger.item('/drop/broken.jpg', BROKEN);

  const watch = addWatch(store, connectionId, standardRule('/in', 'cam'), 'camera', false, 1000);
  const today = ledger.batch({ baseId: 'cam-today', batchId: 'cam-today' });
  const add = (path: string, given: Parameters<typeof identified>[1]): number => {
    const place = { destinationId: watch.destinationId, path, relativePath: path, baseId: null };
    return addItem(store, place, identified(path, given), 1000);
  };
  const seen = add('/in/a.jpg', {});
  store.run('UPDATE items SET batch_row = ? WHERE id = ?', today.id, seen);
  add('/in/copy.jpg', copyOf(seen));
  add('/in/empty.jpg', EMPTY);
  add('/in/broken.jpg', BROKEN);
  return { ledger, store, connectionId, watch };
}

test('of a watch: everything that it left out, with what a copy repeats', () => {
  const { store, connectionId, watch } = scene();
  const page = leftOutPage(store, connectionId, { ...ALL, destinationId: watch.destinationId });
  expect(page).toMatchObject({
    total: 2,
    rows: [
      { path: '/in/empty.jpg', reason: 'item.empty', duplicateOf: null },
      {
        path: '/in/copy.jpg',
        duplicateOf: { path: '/in/a.jpg', state: 'queued', batchId: 'cam-today' },
      },
    ],
  });
  expect(page.reasons).toHaveLength(2);
  expect(page.reasons).toContainEqual({ reason: 'item.duplicate', count: 1 });
});

test('of a batch that was named for a drop: the whole drop', () => {
  const { ledger, store, connectionId } = scene();
  const ofDrop = { ...ALL, destinationId: ledger.destinationId };
  expect(leftOutPage(store, connectionId, ofDrop).total).toBe(2);
  const query = { ...ALL, batchId: 'batch-1' };
  expect(paths(leftOutPage(store, connectionId, query))).toEqual([
    '/drop/empty.jpg',
    '/drop/copy.jpg',
  ]);
  expect(countLeftOut(store, connectionId, 'batch-1')).toBe(2);
});

test('what needs a person counts for the batch that it would go to', () => {
  const { ledger, store, connectionId, watch } = scene();
  const unplaced = (batchId: string) =>
    knownBatch({ store, connectionId, connection: null, now: 0 }, batchId)?.batch.unplaced;
  expect(unplaced('batch-1')).toBe(1);
  // A watch's go to the batch that it fills now, unless each folder has its own.
  expect(unplaced('cam-today')).toBe(0);
  store.run(`UPDATE batches SET watch_id = ? WHERE batch_id = 'cam-today'`, watch.id);
  expect(unplaced('cam-today')).toBe(1);
  ledger.batch({ baseId: 'cam-next', batchId: 'cam-next' });
  store.run(`UPDATE batches SET watch_id = ? WHERE batch_id = 'cam-next'`, watch.id);
  expect(['cam-today', 'cam-next'].map(unplaced)).toEqual([0, 1]);
  // No file is added to a batch that is closed.
  store.run(`UPDATE batches SET state = 'sealed' WHERE batch_id = 'batch-1'`);
  expect(unplaced('batch-1')).toBe(0);
  // They go to the batch that continues it.
  ledger.batch({ batchId: 'batch-1-2', generation: 2 });
  expect(['batch-1', 'batch-1-2'].map(unplaced)).toEqual([0, 1]);
  store.run(`UPDATE watches SET rule = json_set(rule, '$.batch', '{folder}')`);
  expect(unplaced('cam-next')).toBe(0);
});

test('of a batch of a watch: only copies of what is in it, for the others belong to no batch', () => {
  const { store, connectionId } = scene();
  const query = { ...ALL, batchId: 'cam-today' };
  expect(paths(leftOutPage(store, connectionId, query))).toEqual(['/in/copy.jpg']);
  expect(countLeftOut(store, connectionId, 'cam-today')).toBe(1);
  expect(countLeftOut(store, connectionId, 'nobody-knows-it')).toBe(0);
});

test('of everything: narrowed by reason and words, page by page', () => {
  const { store, connectionId } = scene();
  const page = (change: Partial<LeftOutQuery>): LeftOutPage =>
    leftOutPage(store, connectionId, { ...ALL, ...change });
  expect(page({}).total).toBe(4);
  expect(paths(page({ offset: 3 }))).toEqual(['/drop/copy.jpg']);
  expect(paths(page({ reason: 'item.empty' }))).toEqual(['/in/empty.jpg', '/drop/empty.jpg']);
  expect(paths(page({ search: 'in/c' }))).toEqual(['/in/copy.jpg']);
  expect(page({ search: '%' }).total).toBe(0);
  // By file name, ignoring the folder; equal names in the order in which they were found.
  const byName = ['/drop/copy.jpg', '/in/copy.jpg', '/drop/empty.jpg', '/in/empty.jpg'];
  expect(paths(page({ sort: 'name', descending: false }))).toEqual(byName);
  expect(paths(page({ sort: 'name', descending: true }))).toEqual(byName.toReversed());
  expect(paths(page({ sort: 'name', descending: false, offset: 2, limit: 1 }))).toEqual([
    '/drop/empty.jpg',
  ]);
  store.run(`UPDATE items SET size_bytes = 7 WHERE path = '/in/copy.jpg'`);
  expect(paths(page({ sort: 'size', descending: false }))[0]).toBe('/in/copy.jpg');
  expect(leftOutPage(store, connectionId + 1, ALL).total).toBe(0);
});
