/** How much needs a person: files, each counted once however often it was found, and failed jobs. */
import { z } from 'zod';
import type { AppSnapshot } from '../core/model.ts';
import { RETENTION_MS } from '../core/limits.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const DISMISSED = 'problems.dismissedJobs';
const MOST_DISMISSED = 500;
const MOST_JOBS = 50;

/** A job that failed on the service and was not dismissed. */
export interface FailedJob {
  readonly jobId: string;
  readonly name: string;
  readonly batchId: string;
  readonly failedAt: number;
}

/** A job that is restarted and fails again is a new problem. */
function dismissedKey(jobRow: number, failedAt: number): string {
  return `${jobRow}:${failedAt}`;
}

function dismissed(store: Store): readonly string[] {
  return readValue(store, DISMISSED, z.array(z.string())) ?? [];
}

interface FailedRow extends FailedJob {
  readonly key: string;
}

/** The service forgets jobs after a week; so does the list. */
function failedRows(store: Store, connectionId: number, now: number): readonly FailedRow[] {
  return store
    .all(
      `SELECT id, job_id, coalesce(name, job_id) AS name, batch_id, state_at FROM jobs INDEXED BY jobs_state
       WHERE connection_id = ? AND state = 'failed' AND state_at > ? ORDER BY id DESC LIMIT ?`,
      connectionId,
      now - RETENTION_MS,
      MOST_JOBS,
    )
    .map((row) => ({
      jobId: text(row, 'job_id'),
      name: text(row, 'name'),
      batchId: text(row, 'batch_id'),
      failedAt: integer(row, 'state_at'),
      key: dismissedKey(integer(row, 'id'), integer(row, 'state_at')),
    }));
}

/** Failed jobs that were not dismissed, newest first; at most 50. */
export function failedJobs(store: Store, connectionId: number, now: number): readonly FailedJob[] {
  const known = new Set(dismissed(store));
  return failedRows(store, connectionId, now)
    .filter(({ key }) => !known.has(key))
    .map(({ key: _, ...job }) => job);
}

/** Takes a failed job off the list, or puts it back. */
export function dismissJob(
  store: Store,
  connectionId: number,
  { jobId, dismissed: isDismissed }: { readonly jobId: string; readonly dismissed: boolean },
  now: number,
): void {
  const job = failedRows(store, connectionId, now).find((one) => one.jobId === jobId);
  if (job === undefined) return;
  const others = dismissed(store).filter((key) => key !== job.key);
  const next = isDismissed ? [...others, job.key] : others;
  writeValue(store, DISMISSED, next.slice(-MOST_DISMISSED));
}

function parkedPaths(store: Store, connectionId: number, since: number): number {
  const row = store.get(
    `SELECT count(DISTINCT items.path) AS count FROM items INDEXED BY items_parked JOIN destinations ON destinations.id = items.destination_id
     WHERE items.state = 'parked' AND items.state_at > ? AND destinations.connection_id = ?`,
    since,
    connectionId,
  );
  return integer(row ?? {}, 'count');
}

/** The problems of a connection. `readAt`: when they were last viewed, epoch ms. */
export function problemCounts(
  store: Store,
  connectionId: number,
  { readAt, now }: { readonly readAt: number; readonly now: number },
): AppSnapshot['problems'] {
  return {
    count: parkedPaths(store, connectionId, -1),
    unread: parkedPaths(store, connectionId, readAt),
    jobs: failedJobs(store, connectionId, now).length,
  };
}
