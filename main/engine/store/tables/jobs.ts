/** Processing jobs in the ledger: saved with their complete body before anything is started. */
import { type ErrorCode, sluiceError, SluiceFailure } from '../../core/errors.ts';
import { isJobId } from '../../core/ids.ts';
import { codeOrNull, integer, integerOrNull, oneOf, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { JOB_STATES, move, type StoredJobState } from '../transitions.ts';

export function toJob(row: Row) {
  const jobId = text(row, 'job_id');
  if (!isJobId(jobId)) throw new SluiceFailure(sluiceError('store.corrupt', { column: 'job_id' }));
  return {
    id: integer(row, 'id'),
    batchId: text(row, 'batch_id'),
    jobId,
    name: textOrNull(row, 'name'),
    /** The complete body as JSON; a repeat sends exactly this. */
    body: text(row, 'body'),
    state: oneOf(row, 'state', JOB_STATES),
    downloadTo: textOrNull(row, 'download_to'),
    /** Why the job did not start; for a job that succeeded, why its outputs are not all here. */
    lastCode: codeOrNull(row, 'last_code'),
    attempts: integer(row, 'attempts'),
    retryAt: integer(row, 'retry_at'),
    createdAt: integer(row, 'created_at'),
    /** When this computer asked the service to abort the job, epoch ms; null when it did not. */
    abortAskedAt: integerOrNull(row, 'abort_asked_at'),
    /** The batch that holds the job's outputs; null while it is not known. */
    resultsBatch: textOrNull(row, 'results_batch'),
    /** Every output is where it was wanted. */
    fetched: integer(row, 'fetched') === 1,
    unpack: integer(row, 'unpack') === 1,
  };
}

export type StoredJob = Readonly<ReturnType<typeof toJob>>;

export interface NewJob extends Pick<StoredJob, 'batchId' | 'jobId' | 'name' | 'downloadTo'> {
  readonly connectionId: number;
  /** The complete body; the same request with a different body is a different job. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Saves a job before it is started. */
export function addJob(store: Store, job: NewJob, now: number): StoredJob {
  const row = store.get(
    `INSERT INTO jobs (connection_id, batch_id, job_id, name, body, state, download_to, created_at, state_at)
     VALUES (?, ?, ?, ?, ?, 'planned', ?, ?, ?) RETURNING *`,
    job.connectionId,
    job.batchId,
    job.jobId,
    job.name,
    JSON.stringify(job.body),
    job.downloadTo,
    now,
    now,
  );
  return toJob(row ?? {});
}

export function jobByRow(store: Store, id: number): StoredJob | null {
  return store.one(toJob, 'SELECT * FROM jobs WHERE id = ?', id);
}

/** The job with this id on the service; null when this ledger did not start it. */
export function jobByServiceId(
  store: Store,
  connectionId: number,
  jobId: string,
): StoredJob | null {
  const sql = 'SELECT * FROM jobs WHERE connection_id = ? AND job_id = ?';
  return store.one(toJob, sql, connectionId, jobId);
}

/** The newest job over a batch with this body. */
export function jobLike(
  store: Store,
  { connectionId, batchId, body }: Pick<NewJob, 'connectionId' | 'batchId' | 'body'>,
): StoredJob | null {
  const sql =
    'SELECT * FROM jobs WHERE connection_id = ? AND batch_id = ? AND body = ? ORDER BY id DESC LIMIT 1';
  return store.one(toJob, sql, connectionId, batchId, JSON.stringify(body));
}

/** Every job of a connection, newest first. */
export function jobsOf(store: Store, connectionId: number): readonly StoredJob[] {
  const sql = 'SELECT * FROM jobs WHERE connection_id = ? ORDER BY id DESC';
  return store.list(toJob, sql, connectionId);
}

/** Moves a job and remembers how the last try went. */
export function moveJob(
  store: Store,
  id: number,
  to: StoredJobState,
  now: number,
  lastCode: ErrorCode | null = null,
): void {
  move(store, 'jobs', id, to, now);
  store.run('UPDATE jobs SET last_code = ? WHERE id = ?', lastCode, id);
}

/** Notes that a try to start was inconclusive; the next one comes at `retryAt`. */
export function postponeJob(store: Store, id: number, code: ErrorCode, retryAt: number): void {
  const sql = 'UPDATE jobs SET attempts = attempts + 1, last_code = ?, retry_at = ? WHERE id = ?';
  store.run(sql, code, retryAt, id);
}

/** Forgets earlier failed tries, so that the next one is due at once. */
export function clearPause(store: Store, id: number): void {
  store.run('UPDATE jobs SET attempts = 0, last_code = NULL, retry_at = 0 WHERE id = ?', id);
}

/** Removes a job that the service never accepted. */
export function deleteJob(store: Store, id: number): void {
  store.run('DELETE FROM jobs WHERE id = ?', id);
}

/** Remembers that this computer asked the service to abort a job. */
export function noteAbortAsked(store: Store, id: number, now: number): void {
  store.run('UPDATE jobs SET abort_asked_at = ? WHERE id = ?', now, id);
}

/** Notes that a failed or aborted job runs again on the service; why it ended is forgotten. */
export function noteRunsAgain(store: Store, id: number, now: number): void {
  moveJob(store, id, 'running', now);
  store.run('UPDATE jobs SET abort_asked_at = NULL WHERE id = ?', id);
}

/** Remembers why the outputs of a succeeded job are not all here; null while they are being fetched. */
export function noteFetching(store: Store, id: number, code: ErrorCode | null): void {
  store.run(`UPDATE jobs SET last_code = ? WHERE id = ? AND state = 'succeeded'`, code, id);
}

/** Remembers the batch that holds a job's outputs. */
export function noteResults(store: Store, id: number, batchId: string): void {
  store.run('UPDATE jobs SET results_batch = ? WHERE id = ?', batchId, id);
}
