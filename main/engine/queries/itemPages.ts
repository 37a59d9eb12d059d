/** Items of a batch, page by page: even if there are a million, each page takes only some milliseconds. */
import type { InputOf } from '../core/contract.ts';
import {
  ITEM_STATES,
  type ItemRow,
  type ItemState,
  MEDIA_KINDS,
  type PageOf,
} from '../core/model.ts';
import { storedWords } from '../core/storedFacts.ts';
import {
  codeOrNull,
  integer,
  oneOf,
  oneOfOrNull,
  type Row,
  text,
  textOrNull,
} from '../store/rows.ts';
import { FIELDS } from '../status/counts.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import type { Store } from '../store/store.ts';
import { batchByServiceId } from '../store/tables/batches.ts';

export type ItemQuery = Readonly<InputOf<'batch.items'>>;

function statesOf(shown: ItemQuery['state']): readonly ItemState[] {
  if (shown === 'all') return ITEM_STATES;
  const field = shown === 'parked' ? 'attention' : shown;
  return ITEM_STATES.filter((state) => FIELDS[state] === field);
}

/** A pattern for LIKE … ESCAPE '\' that matches the text anywhere. Pure. */
export function likePattern(search: string): string {
  return `%${search.trim().replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}

/**
 * A path after its last separator, in lower case, as SQL: exactly as in the index items_file_name. `rtrim` removes everything from
 * its end that is not a separator. Pure.
 */
export function nameOf(path: string): string {
  return String.raw`lower(substr(${path}, length(rtrim(${path}, replace(replace(${path}, '/', ''), '\', ''))) + 1))`;
}

/** Where the file of an item is, as SQL: where its rule moved it after the upload, otherwise where it was found. Pure. */
export function placeOf(items: string): string {
  return `coalesce((SELECT to_path FROM moved_sources WHERE item_id = ${items}.id AND state = 'moved'), ${items}.path)`;
}

/** An SQL condition: true when the path where a file was found, or the path that its rule moved it to, is LIKE the parameter. */
export function isLike(store: Store, parameter: string): string {
  const like = `LIKE ${parameter} ESCAPE '\\'`;
  // Most ledgers have no moves. Without this check, looking for a move of each file would take a quarter of the time of a search.
  if (!store.has('SELECT 1 FROM moved_sources')) return `items.path ${like}`;
  return `(items.path ${like} OR EXISTS (SELECT 1 FROM moved_sources WHERE item_id = items.id AND state = 'moved' AND to_path ${like}))`;
}

export const ITEM_COLUMNS = `items.id, ${placeOf('items')} AS path, items.name, items.size_bytes, items.kind, items.state, items.reason, items.detail, items.content_hash, items.state_at`;

export function toItemRow(row: Row): ItemRow {
  return {
    id: integer(row, 'id'),
    path: text(row, 'path'),
    name: textOrNull(row, 'name'),
    sizeBytes: integer(row, 'size_bytes'),
    kind: oneOfOrNull(row, 'kind', MEDIA_KINDS),
    state: oneOf(row, 'state', ITEM_STATES),
    reason: codeOrNull(row, 'reason'),
    detail: storedWords(textOrNull(row, 'detail')),
    sha256: textOrNull(row, 'content_hash'),
    stateAt: integer(row, 'state_at'),
  };
}

/** Up to this many items are collected and sorted, in some 20 ms; for more, an index is walked in the requested order. Our choice. */
const MOST_SORTED = 20_000;
/** How many paths are checked before other work gets its turn: about 1 ms. Our choice. */
const SEARCHED_AT_ONCE = 5_000;

/** The sort keys of a list, each with the index that has a batch in this order. */
const ORDERS = {
  added: { key: 'items.id', index: 'items_in_batch' },
  name: { key: 'items.name_key', index: 'items_name' },
  size: { key: 'items.size_bytes', index: 'items_by_size' },
  state: { key: 'items.state', index: 'items_batch' },
} as const;

/** A selection of a batch's items, as SQL with ?1 (the batch row) and ?2, and its size. */
interface Chosen {
  readonly total: number;
  /** The index in which these items are next to each other; null: read the index of the requested order. */
  readonly source: string | null;
  readonly where: string;
  readonly value: string | null;
}

function listOf(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

/**
 * The items in the given states. If they are the smaller part of the batch, they are collected; otherwise the others are collected, and
 * left out.
 */
function inStates(store: Store, batchRow: number, wanted: readonly ItemState[]): Chosen {
  const tally = tallyBatch(store, batchRow);
  const sum = (states: readonly ItemState[]): number =>
    states.reduce((count, state) => count + tally[state], 0);
  const others = ITEM_STATES.filter((state) => !wanted.includes(state));
  const total = sum(wanted);
  const rest = sum(others);
  const own = `items.batch_row = ?1 AND ?2 IS NULL`;
  if (total <= MOST_SORTED) {
    const where = `${own} AND items.state IN (${listOf(wanted)})`;
    return { total, source: 'items_batch', where, value: null };
  }
  if (rest === 0) return { total, source: null, where: own, value: null };
  const [sign, states] = rest < total ? ['NOT IN', others] : ['IN', wanted];
  const part = `SELECT id FROM items INDEXED BY items_batch WHERE batch_row = ?1 AND state IN (${listOf(states)})`;
  return { total, source: null, where: `${own} AND items.id ${sign} (${part})`, value: null };
}

/** The items whose paths contain a text. Checks the whole batch in portions, so that the engine continues in between. */
async function searched(
  store: Store,
  batchRow: number,
  { search, state }: Pick<ItemQuery, 'search' | 'state'>,
): Promise<Chosen> {
  const found: number[] = [];
  const pattern = likePattern(search);
  const inState = state === 'all' ? '' : `AND items.state IN (${listOf(statesOf(state))})`;
  const fits = `items.batch_row = ?1 AND ${isLike(store, '?2')} ${inState}`;
  let total = 0;
  for (let from = 0; ;) {
    const sql = `SELECT id FROM items INDEXED BY items_in_batch WHERE batch_row = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ${SEARCHED_AT_ONCE}`;
    const next = store.get(sql, batchRow, from);
    const until = next === null ? Number.MAX_SAFE_INTEGER : integer(next, 'id');
    const ids = store.ids(
      `SELECT items.id FROM items INDEXED BY items_in_batch WHERE ${fits} AND items.id > ?3 AND items.id <= ?4`,
      batchRow,
      pattern,
      from,
      until,
    );
    total += ids.length;
    if (total <= MOST_SORTED) found.push(...ids);
    if (next === null) break;
    from = until;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (total > MOST_SORTED) return { total, source: null, where: fits, value: pattern };
  const where = '?1 IS NOT NULL AND items.id IN (SELECT value FROM json_each(?2))';
  return { total, source: '', where, value: JSON.stringify(found) };
}

/** The ids of a page. In a list by name, items without a name are included and sorted by their path. */
function pageSql(store: Store, batchRow: number, { source, where }: Chosen, query: ItemQuery) {
  const { key, index } = ORDERS[query.sort];
  const from = (used: string): string => `items ${used === '' ? '' : `INDEXED BY ${used}`}`;
  if (query.sort !== 'name') {
    return `SELECT items.id, ${key} AS key FROM ${from(source ?? index)} WHERE ${where}`;
  }
  const byPath = 'SELECT items.id, coalesce(items.name_key, lower(items.relative_path)) AS key';
  if (source !== null) return `${byPath} FROM ${from(source)} WHERE ${where}`;
  const named = `SELECT items.id, ${key} AS key FROM ${from(index)}
    WHERE ${where} AND items.name_key IS NOT NULL AND items.state <> 'skipped'`;
  const nameless = `items INDEXED BY items_nameless WHERE batch_row IS NOT NULL AND (name_key IS NULL OR state = 'skipped')`;
  return store.has(`SELECT 1 FROM ${nameless} AND batch_row = ? LIMIT 1`, batchRow)
    ? `${named} UNION ALL ${byPath} FROM ${nameless} AND ${where}`
    : named;
}

/** One page of a batch's items; empty for a batch that only the service knows. */
export async function itemPage(
  store: Store,
  connectionId: number,
  query: ItemQuery,
): Promise<PageOf<ItemRow>> {
  const batchRow = batchByServiceId(store, connectionId, query.batchId)?.id;
  if (batchRow === undefined) return { total: 0, rows: [] };
  const isSearch = query.search.trim() !== '';
  const chosen = isSearch
    ? await searched(store, batchRow, query)
    : inStates(store, batchRow, statesOf(query.state));
  const { offset, limit, mirrored } = nearerEnd(query, chosen.total);
  const way = query.descending === mirrored ? 'ASC' : 'DESC';
  // Only the sort keys of a whole batch are sorted; the rows of the page are read afterwards.
  const rows = store.all(
    `WITH page AS MATERIALIZED (${pageSql(store, batchRow, chosen, query)} ORDER BY key ${way}, id ${way} LIMIT ?3 OFFSET ?4)
     SELECT ${ITEM_COLUMNS} FROM page JOIN items ON items.id = page.id ORDER BY page.key ${way}, page.id ${way}`,
    batchRow,
    chosen.value,
    limit,
    offset,
  );
  const shown = mirrored ? rows.toReversed() : rows;
  return { total: chosen.total, rows: shown.map(toItemRow) };
}

/** The same page counted from the nearer end of the list: sorting keeps only what comes before a page. Pure. */
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

/** Where the file of an item is; null for an unknown item. */
export function itemPath(store: Store, id: number): string | null {
  const sql = `SELECT ${placeOf('items')} AS path FROM items WHERE id = ?`;
  return store.one((row) => text(row, 'path'), sql, id);
}

/** True when the ledger has an item with this path, in any destination. */
export function isKnownPath(store: Store, path: string): boolean {
  // By destination, because the index of paths starts with it.
  const sql = `SELECT 1 FROM destinations CROSS JOIN items
     ON items.destination_id = destinations.id AND items.path = ? LIMIT 1`;
  return store.has(sql, path);
}
