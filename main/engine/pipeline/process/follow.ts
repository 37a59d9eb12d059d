/** Follows a job to its end: polls less often while nothing changes, and computes progress the way the service does. */
import { type JobTimes, jobQuietMs, SILENT_AFTER_MS } from '../../core/contract.ts';
import {
  type ErrorContext,
  ok,
  type Result,
  sluiceError,
  type SluiceError,
} from '../../core/errors.ts';
import { JOB_MISSING_MS, KEY_REFUSED_MIDWAY_MS, UNREACHABLE_MIDWAY_MS } from '../../core/limits.ts';
import type { JobStatus, Stage, Task } from '../../core/model.ts';
import type { Clock } from '../../core/ports.ts';
import type { ServiceClient } from '../../service/serviceClient.ts';
import { afterAnswer, isBelieved, NEVER_MISSING } from './missing.ts';

/** A job at one time, with its stages in order of their start. */
export interface JobView {
  readonly status: JobStatus;
  readonly stages: readonly { readonly stage: Stage; readonly tasks: readonly Task[] }[];
}

/** When a job and its parts last changed, to judge how long they have been silent. */
export function jobTimesOf({ status, stages }: JobView): JobTimes {
  return { ...status, stages: stages.map(({ stage, tasks }) => ({ ...stage, tasks })) };
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const GROWTH = 1.4;

/**
 * A stage's progress as the service's own client computes it, as a fraction between 0 and 1: each task weighs 1/tasksNumber;
 * a running task counts by its progress, any other in full.
 */
export function stageFraction(stage: Stage, tasks: readonly Task[]): number {
  const done = tasks.reduce(
    (sum, task) => sum + (task.status === 'running' ? (task.progressFraction ?? 0) : 1),
    0,
  );
  return Math.min(1, done / Math.max(1, stage.tasksNumber));
}

/** Treats service.notFound as an empty list: only the status shows whether a job has ended. */
function orNone<T>(answer: Result<readonly T[]>): Result<readonly T[]> {
  return !answer.ok && answer.error.code === 'service.notFound' ? ok([]) : answer;
}

/** Reads a complete job: status, stages, tasks. null when the service knows no such job. */
export async function readJob(
  client: ServiceClient,
  jobId: string,
  signal: AbortSignal,
): Promise<Result<JobView | null>> {
  const status = await client.jobStatus(jobId, signal);
  if (!status.ok || status.value === null) return status.ok ? ok(null) : status;
  const stages = orNone(await client.jobStages(jobId, signal));
  if (!stages.ok) return stages;
  const views: { stage: Stage; tasks: readonly Task[] }[] = [];
  for (const stage of [...stages.value].sort((a, b) => a.startedAt - b.startedAt)) {
    const tasks = orNone(await client.stageTasks(jobId, stage.stageId, signal));
    if (!tasks.ok) return tasks;
    views.push({ stage, tasks: tasks.value });
  }
  return ok({ status: status.value, stages: views });
}

/** What following a job yields: a new view, the same one again after a long silence, or a failed request that will be retried. */
export type FollowNews =
  | { readonly kind: 'view'; readonly view: JobView }
  | { readonly kind: 'trouble'; readonly error: SluiceError };

function terminal(view: JobView): boolean {
  return view.status.state === 'succeeded' || view.status.state === 'failed';
}

/** Errors that are retried however long they last; the others need a person. */
function isPatient(error: SluiceError): boolean {
  return error.next === 'retry' || error.code === 'net.offline';
}

/** How long reading may keep failing with this error before following ends, in ms. */
function patienceOf(error: SluiceError): number {
  if (isPatient(error)) return Number.POSITIVE_INFINITY;
  return error.code === 'auth.rejected' ? KEY_REFUSED_MIDWAY_MS : UNREACHABLE_MIDWAY_MS;
}

function isNews(read: Result<JobView | null>): read is { ok: true; value: JobView } {
  return read.ok && read.value !== null;
}

function failed(code: 'service.notFound' | 'network.lost', context: ErrorContext): Result<never> {
  return { ok: false, error: sluiceError(code, context) };
}

export interface FollowOptions {
  /** How long a job that was never seen must be missing before that is believed, in ms. */
  readonly missingMs?: number;
}

/**
 * Follows a job until it ends, the caller stops reading, or an error lasts that retrying cannot fix: a refused key for half a
 * minute, other refusals for ten minutes. Returns the last view or that error. service.notFound means that the service did
 * not know the job for `missingMs`, or for half a minute if it knew the job before.
 */
export async function* followJob(
  client: ServiceClient,
  clock: Clock,
  jobId: string,
  signal: AbortSignal,
  { missingMs = FIRST_PAUSE_MS }: FollowOptions = {},
): AsyncGenerator<FollowNews, Result<JobView>> {
  let pauseMs = FIRST_PAUSE_MS;
  let before = '';
  let silentFor = 0;
  let missing = NEVER_MISSING;
  let failingSince: number | null = null;
  for (;;) {
    const read = await readJob(client, jobId, signal);
    if (!read.ok) {
      failingSince ??= clock.monotonicMs();
      if (clock.monotonicMs() - failingSince >= patienceOf(read.error)) return read;
      yield { kind: 'trouble', error: read.error };
    } else failingSince = null;
    if (read.ok) missing = afterAnswer(missing, read.value === null, clock.monotonicMs());
    const believedAfter = before === '' ? missingMs : Math.max(missingMs, JOB_MISSING_MS);
    if (isBelieved(missing, clock.monotonicMs(), believedAfter))
      return failed('service.notFound', { job: jobId });
    if (isNews(read)) {
      const view = read.value;
      const now = JSON.stringify(view);
      const silence = Math.floor(
        (jobQuietMs(jobTimesOf(view), clock.now()) ?? 0) / SILENT_AFTER_MS,
      );
      if (now !== before) pauseMs = FIRST_PAUSE_MS;
      if (now !== before || silence > silentFor) yield { kind: 'view', view };
      before = now;
      silentFor = silence;
      if (terminal(view)) return ok(view);
    }
    if (signal.aborted) return failed('network.lost', { stopped: true });
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * GROWTH);
  }
}
