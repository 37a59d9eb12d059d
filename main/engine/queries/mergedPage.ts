/** One page of a list that has two sources: the ledger, which may hold very many and is read by its index, and the service. */
import type { Result } from '../core/errors.ts';
import type { WorkingConnection } from '../host/workingConnection.ts';
import type { ServiceClient } from '../runner/connect.ts';
import { integer } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { likePattern } from './itemPages.ts';

/** An entry with the time that the list is sorted by, newest first. */
export interface Dated<T> {
  readonly at: number;
  readonly entry: T;
}

/** The entries of the ledger: how many there are, and the newest of them. */
export interface OwnEntries<T> {
  readonly total: number;
  newest(most: number): readonly Dated<T>[];
}

/** The entries of a page, newest first, with the number of all. Of the ledger no more is read than the page needs. */
export function mergedPage<T>(
  own: OwnEntries<T>,
  others: readonly Dated<T>[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly total: number; readonly entries: readonly T[] } {
  const until = offset + limit;
  const entries = [...own.newest(until), ...others]
    .sort((one, other) => other.at - one.at)
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

/**
 * The entries of a table of the ledger that hold the searched text; each is read only when it is shown.
 * @param searched the text that is looked in, as SQL
 */
export function ownEntries<T>(
  store: Store,
  { table, searched }: { readonly table: 'batches' | 'jobs'; readonly searched: string },
  { connectionId, search }: { readonly connectionId: number; readonly search: string },
  read: (id: number) => T,
): OwnEntries<() => T> {
  const fits = search.trim() === '' ? '?2 IS NOT NULL' : `${searched} LIKE ?2 ESCAPE '\\'`;
  const where = `connection_id = ?1 AND ${fits}`;
  const values = [connectionId, likePattern(search)] as const;
  const counted = store.get(`SELECT count(*) AS count FROM ${table} WHERE ${where}`, ...values);
  const newest = `SELECT id, created_at FROM ${table} WHERE ${where} ORDER BY created_at DESC LIMIT ?3`;
  return {
    total: integer(counted ?? {}, 'count'),
    newest: (most) =>
      store.all(newest, ...values, most).map((row) => ({
        at: integer(row, 'created_at'),
        entry: () => read(integer(row, 'id')),
      })),
  };
}
