/** Batches that the service created for a job: they belong to it and are not batches of their own. */
import type { JobRow, JobStatus, RemoteBatch } from '../core/model.ts';
import { text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { jobByServiceId, toJob } from '../store/tables/jobs.ts';
import type { StoredJobState } from '../store/transitions.ts';

type JobOfBatch = Pick<JobRow, 'jobId' | 'name' | 'state' | 'createdAt'>;

/** A job's state for display: one that is being started is still planned. */
export function shownJobState(state: StoredJobState): JobRow['state'] {
  return state === 'starting' ? 'planned' : state;
}

const MOST_JOBS = 20;
/** How the service names the batches of a job. */
const OUTPUT_ID = /^(.+)-(?:processing|export)$/;

/** The job that a batch is named after; null when its name has another form. Pure. */
function jobNamedBy(batchId: string): string | null {
  return OUTPUT_ID.exec(batchId)?.[1] ?? null;
}

/** The job of the ledger that filled a batch; null when none did. */
function makerOf(store: Store, connectionId: number, batchId: string): string | null {
  const sql =
    'SELECT job_id FROM jobs WHERE connection_id = ? AND results_batch = ? AND batch_id <> results_batch';
  const row = store.get(sql, connectionId, batchId);
  if (row !== null) return text(row, 'job_id');
  const named = jobNamedBy(batchId);
  return named !== null && jobByServiceId(store, connectionId, named) !== null ? named : null;
}

/** Leaves out the batches that jobs filled. `listJobs` is called only if some may belong to jobs of another computer. */
export async function withoutJobBatches(
  store: Store,
  connectionId: number,
  batches: readonly RemoteBatch[],
  listJobs: () => Promise<readonly Pick<JobStatus, 'jobId'>[]>,
): Promise<readonly RemoteBatch[]> {
  const sql = 'SELECT job_id, results_batch FROM jobs WHERE connection_id = ?';
  const rows = store.all(sql, connectionId);
  const own = new Set(rows.map((row) => text(row, 'job_id')));
  const noted = new Set(rows.flatMap((row) => textOrNull(row, 'results_batch') ?? []));
  const isOf = (jobs: ReadonlySet<string>, batchId: string): boolean =>
    jobs.has(jobNamedBy(batchId) ?? '');
  const left = batches.filter(({ batchId }) => !noted.has(batchId) && !isOf(own, batchId));
  if (!left.some(({ batchId }) => jobNamedBy(batchId) !== null)) return left;
  const others = new Set((await listJobs()).map(({ jobId }) => jobId));
  return left.filter(({ batchId }) => !isOf(others, batchId));
}

/** The jobs of a batch: those that process it, or the one that filled it. */
export function jobsOfBatch(
  store: Store,
  connectionId: number,
  batchId: string,
): readonly JobOfBatch[] {
  const sql =
    'SELECT * FROM jobs WHERE connection_id = ? AND batch_id = ? ORDER BY id DESC LIMIT ?';
  const over = store.list(toJob, sql, connectionId, batchId, MOST_JOBS);
  const maker = over.length > 0 ? null : makerOf(store, connectionId, batchId);
  const filled = maker === null ? null : jobByServiceId(store, connectionId, maker);
  return (filled === null ? over : [filled]).map(({ jobId, name, state, createdAt }) => ({
    jobId,
    name: name ?? jobId,
    state: shownJobState(state),
    createdAt,
  }));
}
