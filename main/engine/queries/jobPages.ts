/** Jobs for the window: those in the ledger and those that only the service knows. */
import type { InputOf } from '../core/contract.ts';
import { fail, ok, type Result, type SluiceError } from '../core/errors.ts';
import type { JobDetail, JobLogLine, JobRow, JobStatus, PageOf } from '../core/model.ts';
import { findResults, resultPlaces } from '../jobs/downloads.ts';
import { shownJobState } from './jobBatches.ts';
import {
  inputBatchOf,
  isOnlyHere,
  noteJobEnd,
  type JobView,
  readJob,
  stageFraction,
  wasGivenUp,
  withoutContradictions,
} from '../jobs/jobs.ts';
import { compareKeys, JOB_KEY } from './listSort.ts';
import { createRemoteList, holds, mergedPage, ownEntries } from './mergedPage.ts';
import type { Selection } from '../host/workingConnection.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { jobByRow, jobByServiceId, type StoredJob } from '../store/tables/jobs.ts';
import type { Store } from '../store/store.ts';

/**
 * How long the service's list is reused, in ms. Short, because an open job is read separately, and its row must not contradict it; long
 * enough that typing in the search box does not cause a request for each key.
 */
const LIST_MS = 1_000;
const MOST_TASKS = 500;

/** The end recorded in the ledger counts, unless the service reports a later run: a job can be restarted. */
function shownState(job: StoredJob | null, status: JobStatus | null): JobRow['state'] {
  if (status === null) return job === null ? 'queued' : shownJobState(job.state);
  if (job?.state === 'succeeded' || job?.state === 'parked') return job.state;
  const ended = job?.state === 'failed' || job?.state === 'aborted';
  return ended && status.state === 'failed' ? job.state : status.state;
}

function rowOf(job: StoredJob | null, status: JobStatus | null): JobRow {
  return {
    jobId: status?.jobId ?? job?.jobId ?? '',
    name: job?.name ?? status?.name ?? job?.jobId ?? '',
    batchId: job?.batchId ?? inputBatchOf(status?.definition ?? {}),
    state: shownState(job, status),
    currentStage: status?.currentStage ?? null,
    createdAt: status?.createdAt ?? job?.createdAt ?? 0,
    updatedAt: status?.updatedAt ?? job?.createdAt ?? 0,
  };
}

/** Creates the reader of pages; the service's list is cached for a few seconds. */
export function createJobPages() {
  const remoteOf = createRemoteList(LIST_MS, (client, signal) => client.listJobs(signal));
  const searched = `job_id || ' ' || coalesce(name, '') || ' ' || batch_id`;
  return async (
    { store, connectionId, connection, now }: Selection,
    query: InputOf<'job.page'>,
  ): Promise<PageOf<JobRow>> => {
    const { offset, limit, search, sort = 'started', descending = true } = query;
    const remote = await remoteOf(connection);
    const statusOf = new Map<string, JobStatus>(remote.map((status) => [status.jobId, status]));
    const others = remote
      .filter(({ jobId }) => jobByServiceId(store, connectionId, jobId) === null)
      .map((status) => rowOf(null, status))
      .filter((job) => holds(`${job.jobId} ${job.name} ${job.batchId}`, search))
      .map((job) => ({ key: job.createdAt, entry: () => job }));
    const own = ownEntries(
      store,
      { table: 'jobs', searched, key: 'created_at' },
      { connectionId, search, descending: sort !== 'started' || descending },
      (id) => {
        const job = jobByRow(store, id);
        return rowOf(job, statusOf.get(job?.jobId ?? '') ?? null);
      },
    );
    if (sort === 'started') {
      const { total, entries } = mergedPage(own, others, query);
      return { total, rows: entries.map((read) => read()) };
    }
    // The sort keys include facts that only the service reports, so all jobs are read. There are thousands at most.
    const all = [...own.first(own.total), ...others].map(({ entry }) => entry());
    const rows = all
      .toSorted((one, other) =>
        compareKeys(JOB_KEY[sort](one, now), JOB_KEY[sort](other, now), descending),
      )
      .slice(offset, offset + limit);
    return { total: all.length, rows };
  };
}

/** A job's details as far as the ledger knows them; `error`: why the service could not be asked. */
function fromLedger(
  own: StoredJob,
  isAtService: boolean,
  error: SluiceError | null = null,
): JobDetail {
  const job = rowOf(own, null);
  const neverRan = job.state === 'planned' || job.state === 'parked' || wasGivenUp(own);
  return {
    job,
    lastMessage: null,
    stages: [],
    resultsBatch: null,
    isAtService,
    error,
    definition: own.body,
    canAbort: !isAtService && isOnlyHere(own),
    canRestart: false,
    blockedBy: neverRan ? own.lastCode : null,
  };
}

/** The results batch of a job that has ended. A failed job has results only if the service lists them. */
async function resultsOfEnded(
  pipeline: Pipeline,
  view: JobView,
  inputBatch: string,
): Promise<string | null> {
  const places = resultPlaces(view, inputBatch);
  if (view.status.state === 'succeeded') return places.batches[0] ?? null;
  if (view.status.state !== 'failed') return null;
  const found = await findResults(pipeline, places);
  return found.ok ? found.value : null;
}

/** A job without asking the service; null for one that only the service may know. */
export function knownJob(store: Store, connectionId: number, jobId: string): JobDetail | null {
  const own = jobByServiceId(store, connectionId, jobId);
  return own === null ? null : fromLedger(own, true);
}

/** The job that was read last, by client: an open job keeps its stages and tasks while they cannot be read. */
const lastViews = new WeakMap<Pipeline['client'], JobView>();

/** A job as the service reports it now, or as the ledger knows it. Errors: service.notFound; of reading, unless the ledger knows it. */
export async function jobDetail(pipeline: Pipeline, jobId: string): Promise<Result<JobDetail>> {
  const { client, signal, store, connectionId } = pipeline;
  const own = jobByServiceId(store, connectionId, jobId);
  const last = lastViews.get(client) ?? null;
  const read = await readJob(client, jobId, signal, last?.status.jobId === jobId ? last : null);
  if (!read.ok) return own === null ? read : ok(fromLedger(own, true, read.error));
  if (read.value === null) {
    return own === null ? fail('service.notFound', { job: jobId }) : ok(fromLedger(own, false));
  }
  lastViews.set(client, read.value);
  const view = withoutContradictions(read.value);
  noteJobEnd(pipeline, view);
  const job = rowOf(own, view.status);
  const ended = view.status.state === 'succeeded' || view.status.state === 'failed';
  return ok({
    job,
    lastMessage: view.status.lastMessage,
    stages: view.stages.map(({ outputBatches: _, ...stage }) => ({
      ...stage,
      fraction: stageFraction(stage),
      tasks: stage.tasks.slice(0, MOST_TASKS),
    })),
    definition: JSON.stringify(view.status.definition, null, 2).slice(0, 100_000),
    resultsBatch: await resultsOfEnded(pipeline, view, job.batchId ?? jobId),
    isAtService: true,
    error: view.unread,
    canAbort: !ended,
    canRestart: view.status.state === 'failed',
    blockedBy: null,
  });
}

/** The log of a job on the service; null when the service has none for us. */
export async function jobLog(
  { client, signal }: Pipeline,
  jobId: string,
): Promise<Result<readonly JobLogLine[] | null>> {
  const logs = await client.jobLogs(jobId, signal);
  return logs.ok && logs.value !== null ? ok(logs.value.slice(-2000)) : logs;
}
