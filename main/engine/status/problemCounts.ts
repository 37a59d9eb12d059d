/** How much needs a person: files, each counted once however often it was found, and failed jobs. */
import { z } from 'zod';
import type { ProblemJob, AppSnapshot } from '../core/model.ts';
import { RETENTION_MS } from '../core/limits.ts';
import { readValue } from '../settings/keyValue.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** The key of the ledger under which decisions keep the dismissed jobs. */
export const DISMISSED = 'problems.dismissedJobs';
const MOST_JOBS = 50;

export function dismissedJobs(store: Store): readonly string[] {
  return readValue(store, DISMISSED, () => z.array(z.string())) ?? [];
}

/**
 * Failed jobs of a connection that no later job over the same batch has replaced. The service forgets jobs after a week; so does
 * the list.
 */
export function failedRows(store: Store, connectionId: number, now: number) {
  const sql = `SELECT id, job_id, coalesce(name, job_id) AS name, batch_id, state_at FROM jobs INDEXED BY jobs_state
       WHERE connection_id = ? AND state = 'failed' AND state_at > ?
         AND NOT EXISTS (SELECT 1 FROM jobs AS later WHERE later.connection_id = jobs.connection_id
           AND later.batch_id = jobs.batch_id AND later.id > jobs.id)
       ORDER BY id DESC LIMIT ?`;
  return store.all(sql, connectionId, now - RETENTION_MS, MOST_JOBS).map((row) => ({
    jobId: text(row, 'job_id'),
    name: text(row, 'name'),
    batchId: text(row, 'batch_id'),
    failedAt: integer(row, 'state_at'),
    /** A job that is restarted and fails again is a new problem. */
    key: `${integer(row, 'id')}:${integer(row, 'state_at')}`,
  }));
}

/** Failed jobs that were not dismissed, newest first; at most 50. */
export function failedJobs(store: Store, connectionId: number, now: number): readonly ProblemJob[] {
  const known = new Set(dismissedJobs(store));
  return failedRows(store, connectionId, now)
    .filter(({ key }) => !known.has(key))
    .map(({ key: _, ...job }) => job);
}

/** The same for all connections. */
export function readFailedJobs(store: Store, now: number): readonly ProblemJob[] {
  const ids = store.ids('SELECT id FROM connections ORDER BY id');
  return ids.flatMap((id) => failedJobs(store, id, now));
}

function parkedPaths(store: Store, connectionId: number, since: number) {
  const sql = `SELECT count(DISTINCT items.path) AS count,
       count(DISTINCT CASE items.reason WHEN 'directory.unreadable' THEN items.path END) AS folders FROM items INDEXED BY items_parked JOIN destinations ON destinations.id = items.destination_id
     WHERE items.state = 'parked' AND items.state_at > ? AND destinations.connection_id = ?`;
  const row = store.get(sql, since, connectionId) ?? {};
  return { count: integer(row, 'count'), folders: integer(row, 'folders') };
}

/** The problems of a connection. `readAt`: when they were last viewed, epoch ms. */
export function problemCounts(
  store: Store,
  connectionId: number,
  { readAt, now }: { readonly readAt: number; readonly now: number },
): AppSnapshot['problems'] {
  return {
    ...parkedPaths(store, connectionId, -1),
    unread: parkedPaths(store, connectionId, readAt).count,
    jobs: failedJobs(store, connectionId, now).length,
  };
}
