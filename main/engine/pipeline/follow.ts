/** Following a job to its end: questions that come slower while nothing changes, and progress by the service's arithmetic. */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { ok } from '../errors.ts';
import type { Bell } from '../hints.ts';
import { HINTED_PAUSE_FACTOR, STALL_JOB_MS } from '../limits.ts';
import type { JobStatus, Stage, Task } from '../model.ts';
import type { Clock } from '../ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import { jobSilenceMs } from './stall.ts';

/** A job as it stands at one moment, with its stages in order of their start. */
export interface JobView {
  readonly status: JobStatus;
  readonly stages: readonly { readonly stage: Stage; readonly tasks: readonly Task[] }[];
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const GROWTH = 1.4;

/**
 * A stage's progress as the service's own client computes it: each task weighs 1/tasksNumber; one that is not running
 * counts in full, a running one by its progress. A fraction between 0 and 1.
 */
export function stageFraction(stage: Stage, tasks: readonly Task[]): number {
  const done = tasks.reduce(
    (sum, task) => sum + (task.status === 'running' ? (task.progressFraction ?? 0) : 1),
    0,
  );
  return Math.min(1, done / Math.max(1, stage.tasksNumber));
}

/** Reads a job whole: status, stages, tasks. null: the service knows no such job. */
export async function readJob(
  client: ServiceClient,
  jobId: string,
  signal: AbortSignal,
): Promise<Result<JobView | null>> {
  const status = await client.jobStatus(jobId, signal);
  if (!status.ok || status.value === null) return status.ok ? ok(null) : status;
  const stages = await client.jobStages(jobId, signal);
  if (!stages.ok) return stages;
  const views: { stage: Stage; tasks: readonly Task[] }[] = [];
  for (const stage of [...stages.value].sort((a, b) => a.startedAt - b.startedAt)) {
    const tasks = await client.stageTasks(jobId, stage.stageId, signal);
    if (!tasks.ok) return tasks;
    views.push({ stage, tasks: tasks.value });
  }
  return ok({ status: status.value, stages: views });
}

/** What following tells: a fresh view, the same one again after a long silence, or a question that failed and will be repeated. */
export type FollowNews =
  | { readonly kind: 'view'; readonly view: JobView }
  | { readonly kind: 'trouble'; readonly error: SluiceError };

function terminal(view: JobView): boolean {
  return view.status.state === 'succeeded' || view.status.state === 'failed';
}

/**
 * Follows a job until it ends, the caller stops reading, or an error comes that asking again cannot mend. Answers the
 * last view, or that error (service.notFound for a job that nobody knows). With a bell, a hint makes it ask at once, and
 * while hints arrive it asks less often.
 */
export async function* followJob(
  client: ServiceClient,
  clock: Clock,
  jobId: string,
  signal: AbortSignal,
  bell: Bell | null = null,
): AsyncGenerator<FollowNews, Result<JobView>> {
  let pauseMs = FIRST_PAUSE_MS;
  let before = '';
  let silentFor = 0;
  for (;;) {
    const read = await readJob(client, jobId, signal);
    if (!read.ok) {
      if (read.error.next !== 'retry' && read.error.code !== 'net.offline') return read;
      yield { kind: 'trouble', error: read.error };
    } else if (read.value === null) {
      return {
        ok: false,
        error: { code: 'service.notFound', next: 'park', context: { job: jobId } },
      };
    } else {
      const now = JSON.stringify(read.value);
      const silence = Math.floor((jobSilenceMs(read.value, clock.now()) ?? 0) / STALL_JOB_MS);
      if (now !== before) pauseMs = FIRST_PAUSE_MS;
      if (now !== before || silence > silentFor) yield { kind: 'view', view: read.value };
      before = now;
      silentFor = silence;
      if (terminal(read.value)) return ok(read.value);
    }
    if (signal.aborted) {
      return {
        ok: false,
        error: { code: 'network.lost', next: 'retry', context: { stopped: true } },
      };
    }
    await (bell ?? clock).sleep(pauseMs, signal);
    const most = MAX_PAUSE_MS * (bell?.arrive() === true ? HINTED_PAUSE_FACTOR : 1);
    pauseMs = Math.min(most, pauseMs * GROWTH);
  }
}
