/** One page of a list with two sources: the ledger, which may have very many entries and is read by index, and the service. */
import type { Result } from '../core/errors.ts';
import type { WorkingConnection } from '../host/workingConnection.ts';
import type { ServiceClient } from '../runner/connect.ts';
import { integer, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { likePattern } from './itemPages.ts';
import { compareKeys, type SortKey } from './listSort.ts';

export interface Keyed<T> {
  readonly key: SortKey;
  readonly entry: T;
}

/** The ledger's entries: how many there are, and the first of them in list order. */
export interface OwnEntries<T> {
  readonly total: number;
  first(most: number): readonly Keyed<T>[];
}

interface Slice {
  readonly offset: number;
  readonly limit: number;
  /** True for descending order, for example newest first; true by default. */
  readonly descending?: boolean | undefined;
}

/** The entries of a page, and the total. Reads no more from the ledger than the page needs. */
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

/** What is needed of a connection to ask what its service lists. */
interface Listed {
  readonly row: Pick<WorkingConnection['row'], 'id'>;
  readonly runner: Pick<WorkingConnection['runner'], 'pipeline' | 'failingSince' | 'blockedBy'>;
}

/**
 * What the service lists for a connection, cached for `freshMs`; what it listed last, while it does not answer. Empty without a connection, or
 * if it cannot list.
 */
export function createRemoteList<T>(
  freshMs: number,
  list: (client: ServiceClient, signal: AbortSignal) => Promise<Result<readonly T[] | null>>,
): (connection: Listed | null) => Promise<readonly T[]> {
  let listed: { readonly id: number; readonly at: number; readonly rows: readonly T[] } | null =
    null;
  return async (connection) => {
    if (connection === null) return [];
    const { row, runner } = connection;
    const { ports, client, signal } = runner.pipeline;
    const now = ports.clock.monotonicMs();
    if (listed?.id === row.id && now - listed.at < freshMs) return listed.rows;
    const silent = runner.failingSince() !== null || runner.blockedBy() !== null;
    const answer = silent ? null : await list(client, signal);
    const last = listed?.id === row.id ? listed.rows : [];
    listed = { id: row.id, at: now, rows: answer?.ok === true ? (answer.value ?? []) : last };
    return listed.rows;
  };
}

/** True when the text contains the search text; an empty search matches every text. */
export function holds(text: string, search: string): boolean {
  return text.toLowerCase().includes(search.trim().toLowerCase());
}

interface OwnTable {
  readonly table: 'batches' | 'jobs';
  /** The text to search, as SQL. */
  readonly searched: string;
  /** The sort key, as SQL. */
  readonly key: string;
}

/** The entries of a ledger table that match the search; each is read only when it is shown. */
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
  const way = descending ? 'DESC' : 'ASC';
  const first = `SELECT id, ${key} AS sort_key FROM ${table} WHERE ${where} ORDER BY sort_key ${way} NULLS LAST, id ${way} LIMIT ?3`;
  return {
    total: store.count(`SELECT count(*) AS count FROM ${table} WHERE ${where}`, ...values),
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
