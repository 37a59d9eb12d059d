/** Pages of a long batch: whichever end they are counted from, they are the same list. */
import { describe, expect, it } from 'vitest';
import type { ItemRow, PageOf } from '../../../../preload/contract/records.ts';
import { itemPage, type ItemQuery, nearerEnd } from '../../../../main/engine/queries/itemPages.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

const PLAIN: ItemQuery = {
  offset: 0,
  limit: 10,
  search: '',
  state: 'all',
  sort: 'added',
  descending: true,
};
const SIZES = [5, 3, 3, 9, 1, 3, 7, 5, 2, 8, 3];

function pagesOfBatch(): (change: Partial<ItemQuery>) => PageOf<ItemRow> {
  const ledger = createTestLedger();
  const batch = ledger.batch();
  SIZES.forEach((sizeBytes, index) => {
    const name = String.fromCharCode(97 + ((index * 7) % SIZES.length));
    const id = ledger.item(`/d/${name}.jpg`, { sizeBytes });
    ledger.store.run('UPDATE items SET batch_row = ? WHERE id = ?', batch.id, id);
  });
  return (change) =>
    itemPage(ledger.store, ledger.connectionId, batch.batchId, { ...PLAIN, ...change });
}

describe('pages of items', () => {
  it.each(['added', 'name', 'size', 'state'] as const)(
    'put together, are the list sorted by %s',
    (sort) => {
      const page = pagesOfBatch();
      for (const descending of [true, false]) {
        const whole = page({ sort, descending, limit: 50 }).rows;
        expect(whole).toHaveLength(SIZES.length);
        const pieces = Array.from({ length: 6 }, (_, index) =>
          page({ sort, descending, offset: index * 2, limit: 2 }),
        );
        expect(pieces.flatMap(({ rows }) => rows)).toEqual(whole);
        expect(new Set(pieces.map(({ total }) => total))).toEqual(new Set([SIZES.length]));
      }
    },
  );

  it('are sorted by size as numbers, equal sizes as they were added', () => {
    const { rows } = pagesOfBatch()({ sort: 'size', limit: 50 });
    expect(rows.map(({ sizeBytes }) => sizeBytes)).toEqual([9, 8, 7, 5, 5, 3, 3, 3, 3, 2, 1]);
    const threes = rows.filter(({ sizeBytes }) => sizeBytes === 3).map(({ id }) => id);
    expect(threes).toEqual(threes.toSorted((a, b) => a - b));
  });

  it('end where the list ends', () => {
    const page = pagesOfBatch();
    expect(page({ offset: 10, limit: 5 }).rows).toHaveLength(1);
    expect(page({ offset: 11, limit: 5 })).toEqual({ total: 11, offset: 11, rows: [] });
    expect(page({ state: 'confirmed' })).toEqual({ total: 0, offset: 0, rows: [] });
    expect(page({ search: '100%' }).total).toBe(0);
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
