/** One page of a list that has two sources: the ledger, which may hold very many and is read by its index, and the service. */
import type { Result } from '../core/errors.ts';
import type { WorkingConnection } from '../host/workingConnection.ts';
import type { ServiceClient } from '../runner/connect.ts';
import { integer, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { likePattern } from './itemPages.ts';
import { compareKeys, type SortKey } from './listSort.ts';

/** An entry with what the list is sorted by. */
export interface Keyed<T> {
  readonly key: SortKey;
  readonly entry: T;
}

/** The entries of the ledger: how many there are, and the first of them in the order of the list. */
export interface OwnEntries<T> {
  readonly total: number;
  first(most: number): readonly Keyed<T>[];
}

/** Which rows of a list, and from which end. */
interface Slice {
  readonly offset: number;
  readonly limit: number;
  /** From the greatest on, as the newest before the older ones; it is when nothing is stated. */
  readonly descending?: boolean | undefined;
}

/** The entries of a page with the number of all. Of the ledger no more is read than the page needs. */
export function mergedPage<T>(
  own: OwnEntries<T>,
  others: readonly Keyed<T>[],
  { offset, limit, descending = true }: Slice,
): { readonly total: number; readonly entries: readonly T[] } {
  const until = offset + limit;
  const entries = [...own.first(until), ...others]
    .sort((one, other) => compareKeys(one.key, other.key, descending))
    .slice(offset, until)
    .map(({ entry }) => entry);
  return { total: own.total + others.length, entries };
}

/** What the service lists of a connection, kept for `freshMs`; nothing without one, while it is silent, or when it cannot list. */
export function createRemoteList<T>(
  freshMs: number,
  list: (client: ServiceClient, signal: AbortSignal) => Promise<Result<readonly T[] | null>>,
): (connection: WorkingConnection | null) => Promise<readonly T[]> {
  let listed: { readonly id: number; readonly at: number; readonly rows: readonly T[] } | null =
    null;
  return async (connection) => {
    if (connection === null) return [];
    const { row, runner } = connection;
    const { ports, client, signal } = runner.pipeline;
    const now = ports.clock.monotonicMs();
    if (listed?.id === row.id && now - listed.at < freshMs) return listed.rows;
    const silent = runner.silentSince() !== null || runner.blockedBy() !== null;
    const answer = silent ? null : await list(client, signal);
    listed = { id: row.id, at: now, rows: answer?.ok === true ? (answer.value ?? []) : [] };
    return listed.rows;
  };
}

/** True for a text that holds what is searched for; nothing is in every text. */
export function holds(text: string, search: string): boolean {
  return text.toLowerCase().includes(search.trim().toLowerCase());
}

/** Where entries of the ledger are. */
interface OwnTable {
  readonly table: 'batches' | 'jobs';
  /** The text that is looked in, as SQL. */
  readonly searched: string;
  /** What they are sorted by, as SQL. */
  readonly key: string;
}

/** The entries of a table of the ledger that hold the searched text; each is read only when it is shown. */
export function ownEntries<T>(
  store: Store,
  { table, searched, key }: OwnTable,
  {
    connectionId,
    search,
    descending = true,
  }: Pick<Slice, 'descending'> & { readonly connectionId: number; readonly search: string },
  read: (id: number) => T,
): OwnEntries<() => T> {
  const fits = search.trim() === '' ? '?2 IS NOT NULL' : `${searched} LIKE ?2 ESCAPE '\\'`;
  const where = `connection_id = ?1 AND ${fits}`;
  const values = [connectionId, likePattern(search)] as const;
  const counted = store.get(`SELECT count(*) AS count FROM ${table} WHERE ${where}`, ...values);
  const way = descending ? 'DESC' : 'ASC';
  const first = `SELECT id, ${key} AS sort_key FROM ${table} WHERE ${where} ORDER BY sort_key ${way} NULLS LAST, id ${way} LIMIT ?3`;
  return {
    total: integer(counted ?? {}, 'count'),
    first: (most) =>
      store.all(first, ...values, most).map((row) => ({
        key:
          typeof row['sort_key'] === 'number'
            ? integer(row, 'sort_key')
            : textOrNull(row, 'sort_key'),
        entry: () => read(integer(row, 'id')),
      })),
  };
}
