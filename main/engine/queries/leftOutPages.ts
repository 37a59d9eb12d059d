/** Files that were left out, and why: of a watch or a drop, of a batch, or of a whole connection. */
import type { InputOf } from '../core/contract.ts';
import { ITEM_STATES, type LeftOutPage, type LeftOutRow, MEDIA_KINDS } from '../core/model.ts';
import { likePattern } from './itemPages.ts';
import { LEFT_OUT_SORT_SQL } from './listSort.ts';
import {
  codeOrNull,
  integer,
  oneOf,
  oneOfOrNull,
  type Row,
  text,
  textOrNull,
} from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Lists all files of the connection when `destinationId` and `batchId` are null. */
export type LeftOutQuery = Readonly<InputOf<'leftOut.page'>>;

/**
 * Where to search: destinations as JSON, and a batch if only its files count. `all`: every file that the destination left out belongs to
 * the batch, because a command named the batch.
 */
interface Scope {
  readonly destinations: string;
  readonly batchRow: number | null;
  readonly all: boolean;
}

/** Every column that is used here is in the index: the row of a left-out item is read only to show, search or sort it. */
function fromOf({ batchRow, all }: Scope): string {
  const original = `(SELECT original.batch_row FROM items AS original WHERE original.id = left_item.duplicate_of)`;
  const belongs = all ? '' : `AND ${original} = ?2`;
  const own =
    batchRow === null
      ? '?2 IS NULL'
      : `(left_item.batch_row = ?2 OR (left_item.batch_row IS NULL ${belongs}))`;
  return `FROM items AS left_item INDEXED BY items_skipped WHERE left_item.state = 'skipped'
    AND left_item.destination_id IN (SELECT value FROM json_each(?1)) AND ${own}`;
}

function valuesOf({ destinations, batchRow }: Scope): readonly [string, number | null] {
  return [destinations, batchRow];
}

const everywhere = (ids: readonly number[]): Scope => ({
  destinations: JSON.stringify(ids),
  batchRow: null,
  all: true,
});

function batchScope(store: Store, connectionId: number, batchId: string): Scope {
  // All items of a batch have the same destination: that of its watch, or that of the requested batch id.
  const sql = `SELECT batches.id, destinations.id AS destination,
       destinations.name = batches.batch_id
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id) AS by_name
     FROM batches JOIN destinations
       ON destinations.id = (SELECT destination_id FROM items WHERE batch_row = batches.id LIMIT 1)
     WHERE batches.connection_id = ? AND batches.batch_id = ?`;
  const row = store.get(sql, connectionId, batchId);
  if (row === null) return everywhere([]);
  return {
    destinations: JSON.stringify([integer(row, 'destination')]),
    batchRow: integer(row, 'id'),
    all: integer(row, 'by_name') === 1,
  };
}

function scopeOf(
  store: Store,
  connectionId: number,
  { destinationId, batchId }: LeftOutQuery,
): Scope {
  if (batchId !== null) return batchScope(store, connectionId, batchId);
  const sql = 'SELECT id FROM destinations WHERE connection_id = ?1 AND (?2 IS NULL OR id = ?2)';
  return everywhere(store.ids(sql, connectionId, destinationId));
}

function toRow(row: Row): LeftOutRow {
  const path = textOrNull(row, 'original_path');
  return {
    id: integer(row, 'id'),
    path: text(row, 'path'),
    sizeBytes: integer(row, 'size_bytes'),
    kind: oneOfOrNull(row, 'kind', MEDIA_KINDS),
    reason: codeOrNull(row, 'reason'),
    duplicateOf:
      path === null
        ? null
        : {
            path,
            state: oneOf(row, 'original_state', ITEM_STATES),
            batchId: textOrNull(row, 'batch_id'),
          },
  };
}

export function leftOutPage(store: Store, connectionId: number, query: LeftOutQuery): LeftOutPage {
  const { offset, limit, search, reason, sort = 'found', descending = true } = query;
  const scope = scopeOf(store, connectionId, query);
  const from = fromOf(scope);
  const reasons = store
    .all(
      `SELECT left_item.reason, count(*) AS count ${from} GROUP BY 1 ORDER BY 2 DESC`,
      ...valuesOf(scope),
    )
    .flatMap((row) => {
      const code = codeOrNull(row, 'reason');
      return code === null ? [] : [{ reason: code, count: integer(row, 'count') }];
    });
  const searching = search.trim() !== '';
  const narrowed = `${from} AND (?3 IS NULL OR left_item.reason = ?3)
    AND ${searching ? `left_item.path LIKE ?4 ESCAPE '\\'` : '?4 IS NOT NULL'}`;
  const values = [...valuesOf(scope), reason, likePattern(search)] as const;
  const way = descending ? 'DESC' : 'ASC';
  const order = `ORDER BY ${LEFT_OUT_SORT_SQL[sort]} ${way}, left_item.id ${way}`;
  const sql = `WITH page AS MATERIALIZED (
       SELECT left_item.id, count(*) OVER () AS total ${narrowed} ${order} LIMIT ?5 OFFSET ?6)
     SELECT left_item.id, left_item.path, left_item.size_bytes, left_item.kind, left_item.reason,
       original.path AS original_path, original.state AS original_state, batches.batch_id, page.total
     FROM page JOIN items AS left_item ON left_item.id = page.id
     LEFT JOIN items AS original ON original.id = left_item.duplicate_of
     LEFT JOIN batches ON batches.id = original.batch_row ${order}`;
  const rows = store.all(sql, ...values, limit, offset);
  // Only a page past the end has no row with the total.
  const [counted] =
    rows.length > 0 || offset === 0
      ? rows
      : store.all(`SELECT count(*) AS total ${narrowed}`, ...values);
  const total = counted === undefined ? 0 : integer(counted, 'total');
  return { total, rows: rows.map(toRow), reasons };
}

/** How many files were left out of a batch: those planned for it, copies of its files, and others sent to it by name. */
export function countLeftOut(store: Store, connectionId: number, batchId: string): number {
  const scope = batchScope(store, connectionId, batchId);
  return store.count(`SELECT count(*) AS count ${fromOf(scope)}`, ...valuesOf(scope));
}
