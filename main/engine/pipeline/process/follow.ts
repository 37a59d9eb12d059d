/** Follows a job to its end: polls less often while nothing changes, and computes progress the way the service does. */
import { type JobTimes, jobQuietMs, SILENT_AFTER_MS } from '../../core/contract.ts';
import { fail, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { JOB_MISSING_MS, KEY_REFUSED_MIDWAY_MS, UNREACHABLE_MIDWAY_MS } from '../../core/limits.ts';
import type { JobStatus, Stage, Task } from '../../core/model.ts';
import type { Clock } from '../../core/ports.ts';
import type { ServiceClient } from '../../service/serviceClient.ts';
import { afterAnswer, isBelieved, NEVER_MISSING } from '../missingJob.ts';

/** A job at one time, with its stages in order of their start. */
export interface JobView {
  readonly status: JobStatus;
  readonly stages: readonly StageWithTasks[];
  /** Why stages or tasks could not be read: those shown are the last known ones. null when all were read. */
  readonly unread: SluiceError | null;
}

interface StageWithTasks extends Stage {
  readonly tasks: readonly Task[];
}

/** The times at which a job, its stages and its tasks last changed, to judge how long they have been silent. */
export function jobTimesOf({ status, stages }: JobView): JobTimes {
  return { ...status, stages };
}

const FIRST_PAUSE_MS = 500;
/** While a job only makes progress within a stage, it is not polled more often than this: that may take hours. Our choice. */
const PROGRESS_PAUSE_MS = 3000;
const MAX_PAUSE_MS = 15_000;
const GROWTH = 1.4;

/**
 * A stage's progress as the service's own client computes it (0–1): each task weighs 1/tasksNumber; a running task counts by its progress,
 * any other task in full. A stage that succeeded is complete.
 */
export function stageFraction({
  status,
  tasks,
  tasksNumber,
}: Pick<StageWithTasks, 'status' | 'tasks' | 'tasksNumber'>): number {
  if (status === 'succeeded') return 1;
  const done = tasks.reduce(
    (sum, task) => sum + (task.status === 'running' ? (task.progressFraction ?? 0) : 1),
    0,
  );
  return Math.min(1, done / Math.max(1, tasksNumber));
}

/** Treats service.notFound as an empty list: only the status shows whether a job has ended. */
function orNone<T>(answer: Result<readonly T[]>): Result<readonly T[]> {
  return !answer.ok && answer.error.code === 'service.notFound' ? ok([]) : answer;
}

/** Reads the stages and their tasks. Stages and tasks that cannot be read stay as they are in `known`. */
async function readParts(
  client: ServiceClient,
  jobId: string,
  known: readonly StageWithTasks[],
  signal: AbortSignal,
): Promise<Pick<JobView, 'stages' | 'unread'>> {
  const listed = orNone(await client.jobStages(jobId, signal));
  if (!listed.ok) return { stages: known, unread: listed.error };
  const stages: StageWithTasks[] = [];
  let unread: SluiceError | null = null;
  for (const stage of listed.value) {
    const tasks = orNone(await client.stageTasks(jobId, stage.stageId, signal));
    const before = known.find((one) => one.stageId === stage.stageId)?.tasks ?? [];
    const all = tasks.ok ? tasks.value : before;
    // A service may state no number of tasks, or an outdated one.
    stages.push({ ...stage, tasks: all, tasksNumber: Math.max(stage.tasksNumber, all.length) });
    if (!tasks.ok) unread ??= tasks.error;
  }
  return { stages, unread };
}

/**
 * The view of a job that has ended, without contradictions: stages that are still shown as running get the state of the job, and running
 * tasks are left out.
 */
export function withoutContradictions(view: JobView): JobView {
  const { state } = view.status;
  if (state !== 'succeeded' && state !== 'failed') return view;
  const stages = view.stages.map((stage) => ({
    ...stage,
    status: stage.status === 'running' ? state : stage.status,
    tasks: stage.tasks.filter((task) => task.status !== 'running'),
  }));
  return { ...view, stages };
}

/**
 * Reads a job. Only its status decides: stages and tasks that cannot be read stay as in `before`, the last view. null when the service
 * knows no such job.
 */
export async function readJob(
  client: ServiceClient,
  jobId: string,
  signal: AbortSignal,
  before: JobView | null = null,
): Promise<Result<JobView | null>> {
  const status = await client.jobStatus(jobId, signal);
  if (!status.ok || status.value === null) return status.ok ? ok(null) : status;
  // A queued job has no stages: those known before belong to an earlier run.
  const known = status.value.state === 'queued' ? [] : (before?.stages ?? []);
  const parts = await readParts(client, jobId, known, signal);
  const view = { status: status.value, ...parts };
  return ok(view.unread === null ? view : withoutContradictions(view));
}

/** What following a job yields: a new view, the same one again after a long silence, or a failed request that will be retried. */
export type FollowNews =
  | { readonly kind: 'view'; readonly view: JobView }
  | { readonly kind: 'trouble'; readonly error: SluiceError };

/** How long reading may keep failing with this error, in ms. A key that worked before may be refused for a while by mistake. */
function patienceOf(error: SluiceError, keyWorked: boolean): number {
  if (error.next === 'retry' || error.code === 'net.offline') return Number.POSITIVE_INFINITY;
  if (error.code === 'auth.rejected') return keyWorked ? KEY_REFUSED_MIDWAY_MS : 0;
  return UNREACHABLE_MIDWAY_MS;
}

/** True when both views say the same about the job; `unread` does not count. */
function isSameView(one: JobView | null, other: JobView | null): boolean {
  const said = (view: JobView | null): string =>
    JSON.stringify(view === null ? null : [view.status, view.stages]);
  return said(one) === said(other);
}

/** The parts of a view that change only a few times in the life of a job; progress and times may differ in each answer. */
function stepOf(view: JobView | null): string {
  const stages = view?.stages.map(({ stageId, status }) => [stageId, status]);
  return JSON.stringify([view?.status.state, view?.status.currentStage, stages]);
}

/** The pause before a job is polled again, in ms: `firstMs` after a step; after other news the present pause, if it is not too long. */
export function pauseAfter(
  before: JobView | null,
  view: JobView | null,
  pauseMs: number,
  firstMs: number,
): number {
  if (stepOf(before) !== stepOf(view)) return firstMs;
  return isSameView(before, view) ? pauseMs : Math.min(pauseMs, PROGRESS_PAUSE_MS);
}

export interface FollowOptions {
  /** How long a job that was never seen must be missing before that is believed, in ms. */
  readonly missingMs?: number;
  /** The service has accepted the key in this command. */
  readonly keyWorked?: boolean;
}

/**
 * Follows a job until it ends, the caller stops reading, or an error lasts: a refused key for half a minute if it worked before, other
 * refusals for ten minutes. Returns the last view or that error. service.notFound: the service did not know the job for `missingMs`, or
 * for half a minute if it knew it before.
 */
export async function* followJob(
  client: ServiceClient,
  clock: Clock,
  jobId: string,
  signal: AbortSignal,
  { missingMs = FIRST_PAUSE_MS, keyWorked = false }: FollowOptions = {},
): AsyncGenerator<FollowNews, Result<JobView>> {
  let pauseMs = FIRST_PAUSE_MS;
  let before: JobView | null = null;
  let silentFor = 0;
  let missing = NEVER_MISSING;
  let failingSince: number | null = null;
  let isAccepted = keyWorked;
  for (;;) {
    const read: Result<JobView | null> = await readJob(client, jobId, signal, before);
    if (!read.ok) {
      failingSince ??= clock.monotonicMs();
      if (clock.monotonicMs() - failingSince >= patienceOf(read.error, isAccepted)) return read;
      yield { kind: 'trouble', error: read.error };
    } else {
      failingSince = null;
      isAccepted = true;
    }
    if (read.ok) missing = afterAnswer(missing, read.value === null, clock.monotonicMs());
    const believedAfter = before === null ? missingMs : Math.max(missingMs, JOB_MISSING_MS);
    if (isBelieved(missing, clock.monotonicMs(), believedAfter))
      return fail('service.notFound', { said: `job ${jobId}` });
    if (read.ok && read.value !== null) {
      const view = read.value;
      const isNew = !isSameView(before, view);
      const silence = Math.floor(
        (jobQuietMs(jobTimesOf(view), clock.now()) ?? 0) / SILENT_AFTER_MS,
      );
      pauseMs = pauseAfter(before, view, pauseMs, FIRST_PAUSE_MS);
      if (isNew || silence > silentFor) yield { kind: 'view', view };
      before = view;
      silentFor = silence;
      const { state } = view.status;
      if (state === 'succeeded' || state === 'failed') return ok(view);
    }
    if (signal.aborted) return fail('network.lost', { stopped: true });
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * GROWTH);
  }
}
