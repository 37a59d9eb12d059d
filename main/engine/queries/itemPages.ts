/** Items of a batch, page by page. */
import { ERROR_CODES } from '../core/errors.ts';
import { ITEM_STATES, type ItemRow, MEDIA_KINDS, type PageOf } from '../core/model.ts';
import { integer, oneOf, oneOfOrNull, text, textOrNull, type Row } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** What of a batch is looked at. */
export interface ItemQuery {
  readonly offset: number;
  readonly limit: number;
  readonly search: string;
  readonly state: 'all' | 'queued' | 'sending' | 'sent' | 'confirmed' | 'skipped' | 'parked';
  readonly sort: 'added' | 'name' | 'size' | 'state';
  readonly descending: boolean;
}

const SORTS = {
  name: 'items.relative_path',
  size: 'items.size_bytes',
  state: 'items.state',
} as const;

const STATES: Readonly<Record<ItemQuery['state'], readonly string[]>> = {
  all: ITEM_STATES,
  queued: ['queued', 'planned'],
  sending: ['sending'],
  sent: ['sent', 'unknown'],
  confirmed: ['confirmed'],
  skipped: ['skipped'],
  parked: ['parked'],
};

/** A pattern for LIKE … ESCAPE '\' that finds the text anywhere. Pure. */
export function likePattern(search: string): string {
  return `%${search.trim().replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}

/** The service's or the system's own words, from an item's stored facts; null without any. Pure. */
export function detailOf(detail: string | null): string | null {
  try {
    const facts: unknown = JSON.parse(detail ?? 'null');
    if (typeof facts !== 'object' || facts === null) return null;
    const said: unknown = Reflect.get(facts, 'said') ?? Reflect.get(facts, 'reason');
    return typeof said === 'string' ? said.slice(0, 1000) : null;
  } catch {
    return null;
  }
}

/** What toItemRow reads. */
export const ITEM_COLUMNS =
  'items.id, items.path, items.name, items.size_bytes, items.kind, items.state, items.reason, items.detail, items.sha256, items.state_at';

/** An item as the window shows it. */
export function toItemRow(row: Row): ItemRow {
  return {
    id: integer(row, 'id'),
    path: text(row, 'path'),
    name: textOrNull(row, 'name'),
    sizeBytes: integer(row, 'size_bytes'),
    kind: oneOfOrNull(row, 'kind', MEDIA_KINDS),
    state: oneOf(row, 'state', ITEM_STATES),
    reason: oneOfOrNull(row, 'reason', ERROR_CODES),
    detail: detailOf(textOrNull(row, 'detail')),
    sha256: textOrNull(row, 'sha256'),
    stateAt: integer(row, 'state_at'),
  };
}

/** One page of the items of a batch; none for a batch that only the service knows. */
export function itemPage(
  store: Store,
  connectionId: number,
  batchId: string,
  query: ItemQuery,
): PageOf<ItemRow> {
  const batch = store.get(
    'SELECT id FROM batches WHERE connection_id = ? AND batch_id = ?',
    connectionId,
    batchId,
  );
  if (batch === null) return { total: 0, offset: query.offset, rows: [] };
  // Asking for every state would make the database walk each of them on its own.
  const states = query.state === 'all' ? null : JSON.stringify(STATES[query.state]);
  const searching = query.search.trim() !== '';
  const where = `batch_row = ?1
    AND ${states === null ? '?2 IS NULL' : 'state IN (SELECT value FROM json_each(?2))'}
    AND ${searching ? `path LIKE ?3 ESCAPE '\\'` : '?3 IS NOT NULL'}`;
  const values = [integer(batch, 'id'), states, likePattern(query.search)] as const;
  const counted = store.get(`SELECT count(*) AS count FROM items WHERE ${where}`, ...values);
  const total = integer(counted ?? {}, 'count');
  const { offset, limit, mirrored } = nearerEnd(query, total);
  const order = orderOf(query, mirrored);
  // Only what is sorted by is carried through the sorting of a whole batch; the rows are read afterwards.
  const rows = store.all(
    `WITH page AS MATERIALIZED (SELECT id FROM items WHERE ${where} ORDER BY ${order} LIMIT ?4 OFFSET ?5)
     SELECT ${ITEM_COLUMNS} FROM page JOIN items ON items.id = page.id ORDER BY ${order}`,
    ...values,
    limit,
    offset,
  );
  const shown = mirrored ? rows.toReversed() : rows;
  return { total, offset: query.offset, rows: shown.map(toItemRow) };
}

function orderOf({ sort, descending }: ItemQuery, mirrored: boolean): string {
  const way = descending === mirrored ? 'ASC' : 'DESC';
  if (sort === 'added') return `items.id ${way}`;
  return `${SORTS[sort]} ${way}, items.id ${mirrored ? 'DESC' : 'ASC'}`;
}

/** The same page, counted from the end of the list that is nearer: sorting keeps only what lies before a page. Pure. */
export function nearerEnd(
  { offset, limit }: Pick<ItemQuery, 'offset' | 'limit'>,
  total: number,
): { readonly offset: number; readonly limit: number; readonly mirrored: boolean } {
  if (offset < total / 2) return { offset, limit, mirrored: false };
  const behind = total - offset - limit;
  return {
    offset: Math.max(0, behind),
    limit: Math.max(0, Math.min(limit, limit + behind)),
    mirrored: true,
  };
}

/** The path of an item; null when there is none. */
export function itemPath(store: Store, id: number): string | null {
  const row = store.get('SELECT path FROM items WHERE id = ?', id);
  return row === null ? null : text(row, 'path');
}

/** True when an item of this path is in the ledger, in any destination. */
export function isKnownPath(store: Store, path: string): boolean {
  // By destination, because the index of paths begins with it.
  const row = store.get(
    `SELECT 1 AS known FROM destinations CROSS JOIN items
     ON items.destination_id = destinations.id AND items.path = ? LIMIT 1`,
    path,
  );
  return row !== null;
}
