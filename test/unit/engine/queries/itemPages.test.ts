/** Pages of a long batch: whichever end they are counted from, they are the same list. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ItemRow, PageOf } from '../../../../preload/contract/records.ts';
import { findFiles, foundFile } from '../../../../main/engine/queries/fileSearch.ts';
import {
  itemPage,
  itemPath,
  type ItemQuery,
  nearerEnd,
} from '../../../../main/engine/queries/itemPages.ts';
import { finishMove, planMove } from '../../../../main/engine/store/tables/moves.ts';
import { openStore } from '../../../../main/engine/store/store.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { seedLedger } from '../../../helpers/largeLedger.ts';

const PLAIN: ItemQuery = {
  batchId: '',
  offset: 0,
  limit: 10,
  search: '',
  state: 'all',
  sort: 'added',
  descending: true,
};
const SIZES = [5, 3, 3, 9, 1, 3, 7, 5, 2, 8, 3];

function pagesOfBatch(): (change: Partial<ItemQuery>) => Promise<PageOf<ItemRow>> {
  const ledger = createTestLedger();
  const batch = ledger.batch();
  SIZES.forEach((sizeBytes, index) => {
    const name = String.fromCharCode(97 + ((index * 7) % SIZES.length));
    const id = ledger.item(`/d/${name}.jpg`, { sizeBytes });
    ledger.store.run('UPDATE items SET batch_row = ? WHERE id = ?', batch.id, id);
  });
  return (change) =>
    itemPage(ledger.store, ledger.connectionId, { ...PLAIN, batchId: batch.batchId, ...change });
}

it('says where a file is that its rule has moved after the upload', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const itemId = ledger.item('/in/a.jpg');
  store.run('UPDATE items SET batch_row = ? WHERE id = ?', batch.id, itemId);
  const found = (search: string) =>
    itemPage(store, ledger.connectionId, { ...PLAIN, batchId: batch.batchId, search });
  const places = async (): Promise<readonly unknown[]> => {
    const page = await found('');
    return [page.rows[0]?.path, foundFile(store, itemId)?.path, itemPath(store, itemId)];
  };
  const all = (path: string): readonly string[] => [path, path, path];
  planMove(store, { itemId, from: '/in/a.jpg', to: '/done/a.jpg' }, 1);
  expect(await places()).toEqual(all('/in/a.jpg'));
  finishMove(store, itemId, 'moved', 2);
  expect(await places()).toEqual(all('/done/a.jpg'));
  for (const search of ['in/a', 'done/a']) {
    expect(await found(search)).toMatchObject({ total: 1 });
    expect(findFiles(store, ledger.connectionId, search, 9)).toHaveLength(1);
  }
  finishMove(store, itemId, 'undone', 3);
  expect(await places()).toEqual(all('/in/a.jpg'));
  expect(await found('done/a')).toMatchObject({ total: 0 });
});

describe('pages of items', () => {
  it.each(['added', 'name', 'size', 'state'] as const)(
    'put together, are the list sorted by %s',
    async (sort) => {
      const page = pagesOfBatch();
      for (const descending of [true, false]) {
        const whole = (await page({ sort, descending, limit: 50 })).rows;
        expect(whole).toHaveLength(SIZES.length);
        const pieces = await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            page({ sort, descending, offset: index * 2, limit: 2 }),
          ),
        );
        expect(pieces.flatMap(({ rows }) => rows)).toEqual(whole);
        expect(new Set(pieces.map(({ total }) => total))).toEqual(new Set([SIZES.length]));
      }
    },
  );

  it('are sorted by size as numbers, equal sizes as they were added; the other way round it is the same list', async () => {
    const page = pagesOfBatch();
    const { rows } = await page({ sort: 'size', limit: 50, descending: false });
    expect(rows.map(({ sizeBytes }) => sizeBytes)).toEqual([1, 2, 3, 3, 3, 3, 5, 5, 7, 8, 9]);
    const threes = rows.filter(({ sizeBytes }) => sizeBytes === 3).map(({ id }) => id);
    expect(threes).toEqual(threes.toSorted((a, b) => a - b));
    const turned = await page({ sort: 'size', limit: 50 });
    expect(turned.rows).toEqual(rows.toReversed());
  });

  it('end where the list ends', async () => {
    const page = pagesOfBatch();
    expect((await page({ offset: 10, limit: 5 })).rows).toHaveLength(1);
    expect(await page({ offset: 11, limit: 5 })).toEqual({ total: 11, rows: [] });
    expect(await page({ state: 'confirmed' })).toEqual({ total: 0, rows: [] });
    expect((await page({ search: '100%' })).total).toBe(0);
  });

  it('are counted from the nearer end', () => {
    const first = { offset: 0, limit: 100 };
    expect(nearerEnd(first, 1000)).toEqual({ ...first, mirrored: false });
    const last = nearerEnd({ offset: 900, limit: 100 }, 950);
    expect(last).toEqual({ offset: 0, limit: 50, mirrored: true });
    const late = nearerEnd({ offset: 700, limit: 100 }, 1000);
    expect(late).toEqual({ offset: 200, limit: 100, mirrored: true });
  });
});

describe('pages of a batch that is too long to be sorted', () => {
  const ITEMS = 42_000;
  const place = { apiUrl: 'http://127.0.0.1:1', workspace: 'demo', displayName: null };
  const path = join(mkdtempSync(join(tmpdir(), 'sluice-unit-')), 'ledger.db');
  seedLedger(path, { ...place, batchId: 'season', items: ITEMS, now: 1 });
  const store = openStore(path);
  afterAll(() => {
    store.close();
    rmSync(dirname(path), { recursive: true, force: true });
  });
  // Every state occurs, sizes repeat, and some have no name; sorting by name, size and id gives different orders.
  store.run(
    `UPDATE items SET size_bytes = id % 7, name_key = printf('%06d', id * 7919 % 42013), state = CASE
      WHEN id % 1000 = 1 THEN 'skipped' WHEN id % 1000 = 2 THEN 'parked' WHEN id % 50 = 3 THEN 'sending' WHEN id % 5 = 4 THEN 'sent' ELSE state END`,
  );
  store.run(`UPDATE items SET name_key = NULL WHERE id % 5000 = 5`);
  const KEYS = {
    added: 'id',
    name: 'coalesce(name_key, lower(relative_path))',
    size: 'size_bytes',
    state: 'state',
  };
  const cases = (['added', 'name', 'size', 'state'] as const).flatMap((sort) => [
    ...(['all', 'confirmed', 'parked'] as const).map((state) => ({ sort, state, search: '' })),
    { sort, state: 'all', search: 'frame' } as const,
  ]);

  it.each(cases)(
    'is the list as the database sorts it: by $sort, $state, searched "$search"',
    async ({ sort, state, search }) => {
      const ids = store
        .all(
          `SELECT id FROM items WHERE ${state === 'all' ? '1' : `state = '${state}'`} AND path LIKE '%' || ? || '%'
           ORDER BY ${KEYS[sort]}, id`,
          search,
        )
        .map((row) => Number(row['id']));
      for (const [offset, descending] of [
        [0, true],
        [Math.floor(ids.length / 2), false],
        [ids.length - 3, true],
      ] as const) {
        const query = {
          ...PLAIN,
          batchId: 'season',
          offset,
          limit: 20,
          sort,
          state,
          search,
          descending,
        };
        const page = await itemPage(store, 1, query);
        const whole = descending ? ids.toReversed() : ids;
        expect(page.total).toBe(ids.length);
        expect(page.rows.map(({ id }) => id)).toEqual(whole.slice(offset, offset + 20));
      }
    },
  );
});
