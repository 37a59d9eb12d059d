/**
 * Step: process. A job is saved with its id and complete body, then started. In doubt, the service is asked for the id first, and only
 * the same body is sent again. Then the job is followed to its end.
 */
import {
  fail,
  ok,
  type Result,
  shownCode,
  type SluiceError,
  sluiceError,
} from '../../core/errors.ts';
import { MAX_SERVICE_TRIES } from '../../core/limits.ts';
import type { JobStatus } from '../../core/model.ts';
import { batchByServiceId, sealBatch } from '../../store/tables/batches.ts';
import {
  clearPause,
  jobByRow,
  moveJob,
  postponeJob,
  type StoredJob,
} from '../../store/tables/jobs.ts';
import { move } from '../../store/transitions.ts';
import { backoffMs } from '../backoff.ts';
import type { Pipeline } from '../context.ts';
import { afterAnswer, isBelieved, NEVER_MISSING, type StartDoubt } from '../missingJob.ts';

/**
 * The assumption about the last request while this run has made none: an earlier run of the program may have made one. The error that it
 * noted is still shown.
 */
function unknownRequest({ lastCode }: StoredJob): StartDoubt {
  const error = { ...sluiceError(lastCode ?? 'service.noAnswer'), next: 'unknown' } as const;
  return { error, missing: NEVER_MISSING };
}

function parseBody(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function running(pipeline: Pipeline, job: StoredJob): void {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  moveJob(store, job.id, 'running', now);
  const batch = batchByServiceId(store, pipeline.connectionId, job.batchId);
  if (batch?.state === 'open') sealBatch(store, batch.id, now);
  if (batch !== null && batch.state !== 'processed' && batch.state !== 'expired') {
    move(store, 'batches', batch.id, 'processed', now);
  }
}

/** A try ended without proof that the job runs: schedules the next one. */
function postpone(pipeline: Pipeline, job: StoredJob, error: SluiceError): Result<StoredJob> {
  const { store, ports, times, time } = pipeline;
  // An error that the interruption caused is not the reason why the job has not started.
  if (pipeline.signal.aborted) return { ok: false, error };
  const pause = backoffMs(job.attempts + 1, ports.random.fraction(), times, error);
  store.transaction(() => postponeJob(store, job.id, shownCode(error), time.now() + pause));
  if (error.next === 'wait') pipeline.wait(error);
  return { ok: false, error };
}

/** Decides what a failed start means; parks the job if retrying cannot help. */
function notStarted(pipeline: Pipeline, job: StoredJob, cause: SluiceError): Result<StoredJob> {
  const { store, ports, startDoubts } = pipeline;
  // A person may have given it up meanwhile.
  if (jobByRow(store, job.id)?.state !== 'starting') return { ok: false, error: cause };
  const mayRun = cause.next === 'unknown';
  startDoubts.set(job.id, mayRun ? { error: cause, missing: NEVER_MISSING } : null);
  // While a batch exists, "not found" may pass. For an expired batch it is final.
  const isBatchOver =
    cause.code === 'service.notFound' &&
    batchByServiceId(store, pipeline.connectionId, job.batchId)?.state === 'expired';
  const error = isBatchOver ? sluiceError('job.batchGone', { batch: job.batchId }) : cause;
  const tries = job.lastCode === error.code ? job.attempts + 1 : 1;
  const isHopeless =
    error.next === 'park' && (error.code !== 'job.conflict' || tries >= MAX_SERVICE_TRIES);
  const postponed = postpone(pipeline, job, error);
  if (isHopeless) {
    const now = ports.clock.now();
    store.transaction(() => moveJob(store, job.id, 'parked', now, error.code));
  }
  return postponed;
}

/** Tries once to start a saved job. A refusal parks it; after any other error, the same call continues later. */
export async function startJob(pipeline: Pipeline, jobRow: number): Promise<Result<StoredJob>> {
  const { store, ports, client, times, startDoubts } = pipeline;
  const job = jobByRow(store, jobRow);
  if (job === null) return fail('bug.unexpected');
  if (job.state !== 'planned' && job.state !== 'starting') return ok(job);
  if (job.state === 'starting') {
    // An earlier try may have arrived, so the service is asked first. A failed request says nothing about the job.
    const status = await client.jobStatus(job.jobId, pipeline.signal);
    if (status.ok && status.value !== null) {
      store.transaction(() => running(pipeline, job));
      return ok({ ...job, state: 'running' });
    }
    // A person may have given it up meanwhile.
    if (jobByRow(store, job.id)?.state !== 'starting') return fail('job.aborted');
    if (!status.ok) return postpone(pipeline, job, status.error);
    const known = startDoubts.get(job.id);
    const doubt = known === undefined ? unknownRequest(job) : known;
    if (doubt !== null) {
      const now = ports.clock.monotonicMs();
      const missing = afterAnswer(doubt.missing, true, now);
      startDoubts.set(job.id, { ...doubt, missing });
      // A service may show a new job late, and each start costs money.
      if (!isBelieved(missing, now, times.jobMissingMs))
        return postpone(pipeline, job, doubt.error);
    }
  } else store.transaction(() => moveJob(store, job.id, 'starting', ports.clock.now()));
  const answer = await client.startJob(job.jobId, job.name, parseBody(job.body), pipeline.signal);
  if (!answer.ok) return notStarted(pipeline, { ...job, state: 'starting' }, answer.error);
  store.transaction(() => running(pipeline, job));
  ports.log.write('info', 'job.started', { job: job.jobId, batch: job.batchId });
  return ok({ ...job, state: 'running' });
}

/** Resumes a job that was parked before it ran. It counts as possibly started, so the service is asked first. */
export function resumeGivenUpJob({ store, ports, startDoubts }: Pipeline, jobRow: number): void {
  const now = ports.clock.now();
  // The job was given up after a refusal, so the last request started nothing.
  startDoubts.set(jobRow, null);
  store.transaction(() => {
    moveJob(store, jobRow, 'planned', now);
    moveJob(store, jobRow, 'starting', now);
    clearPause(store, jobRow);
  });
}

/** The service does not know a job that is running here: it is started again, with the same id and body. */
export function startAgain({ store, ports, startDoubts }: Pipeline, job: StoredJob): void {
  if (jobByRow(store, job.id)?.state !== 'running') return;
  startDoubts.set(job.id, null);
  store.transaction(() => {
    moveJob(store, job.id, 'starting', ports.clock.now());
    clearPause(store, job.id);
  });
  ports.log.write('warn', 'job.missing', { job: job.jobId, batch: job.batchId });
}

/**
 * Records the end of a job as the service reports it; nothing while the job runs. A job that failed after it was asked to abort counts as
 * aborted.
 */
export function noteJobStatus(pipeline: Pipeline, job: StoredJob, status: JobStatus): void {
  const { store, ports } = pipeline;
  const present = jobByRow(store, job.id);
  if (present?.state !== 'running') return;
  const now = ports.clock.now();
  if (status.state === 'succeeded') moveJob(store, job.id, 'succeeded', now);
  if (status.state !== 'failed') return;
  if (present.abortAskedAt === null) moveJob(store, job.id, 'failed', now, 'job.failed');
  else moveJob(store, job.id, 'aborted', now, 'job.aborted');
}
