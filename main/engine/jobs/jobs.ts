/** Starting and following jobs, for callers outside the engine. */
import {
  type ErrorCode,
  fail,
  ok,
  type Result,
  type SluiceError,
  PASSING_WAITS,
} from '../core/errors.ts';
import { KEY_REFUSED_MIDWAY_MS, START_NOT_FOUND_MS } from '../core/limits.ts';
import { legalJobId } from '../files/names/safeNames.ts';
import type { JobId } from '../core/model.ts';
import { backoffMs } from '../pipeline/backoff.ts';
import type { JobView } from '../pipeline/process/follow.ts';
import type { Pipeline } from '../pipeline/context.ts';
import {
  noteJobStatus,
  startAgain,
  startJob,
  resumeGivenUpJob,
} from '../pipeline/process/process.ts';
import type { Clock } from '../core/ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import { markFetched } from '../store/queue/closing.ts';
import { batchByServiceId } from '../store/tables/batches.ts';
import {
  addJob,
  deleteJob,
  jobByRow,
  jobByServiceId,
  jobLike,
  moveJob,
  type NewJob,
  noteAbortAsked,
  noteRunsAgain,
  type StoredJob,
} from '../store/tables/jobs.ts';
import type { Store } from '../store/store.ts';

export {
  followJob,
  type FollowOptions,
  jobTimesOf,
  type JobView,
  readJob,
  stageFraction,
  withoutContradictions,
} from '../pipeline/process/follow.ts';
export { missingPatience } from '../pipeline/missingJob.ts';
export { silences, silenceText } from '../core/contract.ts';
export { jobsOf, type StoredJob } from '../store/tables/jobs.ts';

/** The job with this id on the service; null when this ledger did not start it. */
function jobIn({ store, connectionId }: Pipeline, jobId: string): StoredJob | null {
  return jobByServiceId(store, connectionId, jobId);
}

export interface WantedJob extends Omit<NewJob, 'connectionId' | 'jobId'> {
  /** null for a new id. */
  readonly jobId: JobId | null;
}

/**
 * Saves a job before anything is started, or finds the one saved for the same request: the same id with the same body, or,
 * without an id, the newest over this batch with the same body. Error: job.conflict for a different body.
 */
export function saveJob(pipeline: Pipeline, request: WantedJob): Result<StoredJob> {
  const { store, connectionId, ports } = pipeline;
  const found =
    request.jobId === null
      ? jobLike(store, { ...request, connectionId })
      : jobIn(pipeline, request.jobId);
  const isFree = found !== null && wasGivenUp(found);
  // If the service never accepted the job and it was given up, its id is free.
  if (isFree && request.jobId !== null) store.transaction(() => deleteJob(store, found.id));
  const known = isFree ? null : found;
  const same = known !== null && known.body === JSON.stringify(request.body);
  if (known !== null && request.jobId !== null && !same) {
    return fail('job.conflict', {
      job: request.jobId,
      said: 'this id was used with another definition',
    });
  }
  if (known !== null && (request.jobId !== null || (same && !endedBadly(known)))) return ok(known);
  const jobId = request.jobId ?? legalJobId(`sluice-${ports.random.token(12)}`);
  const job = { ...request, connectionId, jobId };
  return ok(store.transaction(() => addJob(store, job, ports.clock.now())));
}

const START_PATIENCE_MS = 10 * 60_000;

/** Resumes a job that was given up before it ran; leaves any other alone. Error: service.notFound. */
export function retryJob(pipeline: Pipeline, jobId: string): Result<null> {
  const job = jobIn(pipeline, jobId);
  if (job === null) return fail('service.notFound', { job: jobId });
  if (job.state === 'parked') resumeGivenUpJob(pipeline, job.id);
  return ok(null);
}

/** How long starting a job may fail with this error before a command gives up, in ms. */
export function startPatienceOf({ next, code }: SluiceError, keyWorked: boolean): number {
  if (code === 'service.notFound') return START_NOT_FOUND_MS;
  if (code === 'auth.rejected') return keyWorked ? KEY_REFUSED_MIDWAY_MS : 0;
  if (next === 'wait' && !PASSING_WAITS.includes(code)) return 0;
  return START_PATIENCE_MS;
}

/** True for a batch that neither this ledger nor the service knows. */
async function isNowhere(pipeline: Pipeline, { batchId }: StoredJob): Promise<boolean> {
  const { store, connectionId, client, signal } = pipeline;
  if (batchByServiceId(store, connectionId, batchId) !== null) return false;
  const count = await client.askCount(batchId, null, signal);
  return count.ok && count.value === null;
}

/**
 * Starts a saved job and retries while that can help; `onTrouble` gets each failure that is retried. `keyWorked`: the service has accepted
 * the key in this command. Returns the running job, or the error that ended it. The ledger may be wrong about a job being "running": see
 * restartMissing.
 */
export async function startSavedJob(
  pipeline: Pipeline,
  job: StoredJob,
  onTrouble: (error: SluiceError) => void,
  keyWorked = true,
): Promise<Result<StoredJob>> {
  const { clock, random } = pipeline.ports;
  if (job.state === 'parked') resumeGivenUpJob(pipeline, job.id);
  const began = clock.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    const started = await startJob(pipeline, job.id);
    if (started.ok) return started;
    const parked = jobByRow(pipeline.store, job.id)?.state === 'parked';
    // The id of a batch that this ledger never filled is most likely mistyped, if the service does not know the batch either.
    if (tries > 1 && started.error.code === 'service.notFound' && (await isNowhere(pipeline, job)))
      return fail('service.notFound', { said: `batch ${job.batchId}` });
    const patient = clock.monotonicMs() - began < startPatienceOf(started.error, keyWorked);
    // A job refused with job.conflict is parked only after some tries: the batch may not be ready yet.
    if (parked || !patient || pipeline.signal.aborted) return started;
    onTrouble(started.error);
    await clock.sleep(
      backoffMs(tries, random.fraction(), pipeline.times, started.error),
      pipeline.signal,
    );
  }
}

/**
 * Makes a job startable again that is running according to the ledger but that the service does not know; returns it, or null for any other
 * job.
 */
export function restartMissing(pipeline: Pipeline, jobId: string): StoredJob | null {
  const job = jobIn(pipeline, jobId);
  if (job?.state !== 'running') return null;
  startAgain(pipeline, job);
  return jobByRow(pipeline.store, job.id);
}

export type JobCommand = 'abort' | 'restart';

/** The service, and the ledger that may know the job; `ledger` is null without one. */
export interface JobCommandDeps {
  readonly client: Pick<ServiceClient, 'abortJob' | 'restartJob' | 'jobStatus'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: { readonly store: Store; readonly connectionId: number } | null;
}

/** Answers to the start of a job that prove that it does not run. */
const NOT_ACCEPTED: readonly (ErrorCode | null)[] = [
  'service.notFound',
  'service.refused',
  'service.forbidden',
  'service.quota',
  'job.conflict',
  'job.batchGone',
];

/** True for a job that, as far as this ledger knows, the service never accepted: giving it up ends it. */
export function isOnlyHere({ state, lastCode }: StoredJob): boolean {
  const wasRefused = state === 'starting' || state === 'parked';
  return wasRefused ? NOT_ACCEPTED.includes(lastCode) : state === 'planned';
}

/** True for a job that ended without success, as far as this ledger knows. */
export function endedBadly({ state }: StoredJob): boolean {
  return state === 'failed' || state === 'aborted';
}

/** True for a job that was given up before the service accepted it. */
export function wasGivenUp({ state, abortAskedAt }: StoredJob): boolean {
  return state === 'aborted' && abortAskedAt === null;
}

/** Gives up a job that the service never accepted. False for any other job: it runs, or it is not certain whether it was started. */
async function giveUp(
  { client, clock, signal, ledger }: JobCommandDeps,
  jobId: string,
): Promise<Result<boolean>> {
  const job = ledger === null ? null : jobByServiceId(ledger.store, ledger.connectionId, jobId);
  if (ledger === null || job === null || !isOnlyHere(job)) return ok(false);
  const status = await client.jobStatus(jobId, signal);
  if (!status.ok) return status;
  if (status.value !== null || jobByRow(ledger.store, job.id)?.state !== job.state)
    return ok(false);
  ledger.store.transaction(() =>
    moveJob(ledger.store, job.id, 'aborted', clock.now(), 'job.aborted'),
  );
  return ok(true);
}

/** `given up`: the service never accepted the job, and it is not tried again. */
export type JobCommandEnd = boolean | 'given up';

/**
 * Asks the service to abort a job, or to run an ended one again; false when the service does not offer that. The ledger records what may
 * have happened: a job that fails after an abort counts as aborted, and a job that runs again is followed.
 */
export async function commandJob(
  deps: JobCommandDeps,
  jobId: string,
  command: JobCommand,
): Promise<Result<JobCommandEnd>> {
  const { client, clock, signal, ledger } = deps;
  const isAbort = command === 'abort';
  const givenUp = isAbort ? await giveUp(deps, jobId) : ok(false);
  if (!givenUp.ok) return givenUp;
  if (givenUp.value) return ok('given up');
  const done = await (isAbort ? client.abortJob(jobId, signal) : client.restartJob(jobId, signal));
  const mayHaveActed = done.ok
    ? done.value
    : done.error.next === 'retry' || done.error.next === 'unknown';
  if (ledger === null || !mayHaveActed) return done;
  const { store } = ledger;
  const job = jobByServiceId(store, ledger.connectionId, jobId);
  if (job !== null && isAbort) store.transaction(() => noteAbortAsked(store, job.id, clock.now()));
  if (job !== null && !isAbort && endedBadly(job))
    store.transaction(() => noteRunsAgain(store, job.id, clock.now()));
  return done;
}

/** Records in the ledger how a job ended, if this ledger started it. True for a job that failed because it was aborted here. */
export function noteJobEnd(pipeline: Pipeline, view: JobView): boolean {
  const job = jobIn(pipeline, view.status.jobId);
  if (job !== null) pipeline.store.transaction(() => noteJobStatus(pipeline, job, view.status));
  return jobIn(pipeline, view.status.jobId)?.state === 'aborted';
}

export function inputBatchOf(definition: Readonly<Record<string, unknown>>): string | null {
  const input = definition['jobInput'];
  if (typeof input !== 'object' || input === null || !('batchId' in input)) return null;
  return typeof input.batchId === 'string' ? input.batchId : null;
}

/** Records in the ledger that a job's outputs are downloaded: they are not downloaded again, and no expiry warning is given. */
export function noteFetched(pipeline: Pipeline, jobId: string): void {
  const { store } = pipeline;
  const job = jobIn(pipeline, jobId);
  if (job !== null) store.transaction(() => markFetched(store, job.id));
}
