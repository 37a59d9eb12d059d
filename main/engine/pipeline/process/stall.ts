/** Jobs, stages and tasks that say nothing any more: "no news for 12 minutes". Pure. */
import { STALL_JOB_MS } from '../../core/limits.ts';
import type { JobStatus, Stage, Task } from '../../core/model.ts';

/** What is needed of a job to tell. */
export interface Watchable {
  readonly status: Pick<JobStatus, 'jobId' | 'state' | 'createdAt' | 'updatedAt'>;
  readonly stages: readonly {
    readonly stage: Pick<Stage, 'name' | 'status' | 'startedAt' | 'eventAt'>;
    readonly tasks: readonly Pick<Task, 'taskId' | 'status' | 'progressFraction' | 'eventAt'>[];
  }[];
}

/** Something that should tell of itself and does not. */
export interface Silence {
  readonly what: 'job' | 'stage' | 'task';
  /** Id of the job or task, name of the stage. */
  readonly name: string;
  /** Since its last news, ms. */
  readonly silentMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time since the newest of the instants; null when none is known (0). A service whose clock is ahead has just spoken. */
function sinceNewest(instants: readonly number[], now: number): number | null {
  const newest = instants.reduce((latest, at) => Math.max(latest, at), 0);
  return newest === 0 ? null : Math.max(0, now - newest);
}

function stageNews({ stage, tasks }: Watchable['stages'][number]): readonly number[] {
  return [stage.startedAt, stage.eventAt, ...tasks.map((task) => task.eventAt)];
}

/** How long a job that has not ended has told nothing at all, ms; null when it has ended or never says when. */
export function jobSilenceMs({ status, stages }: Watchable, now: number): number | null {
  if (status.state === 'succeeded' || status.state === 'failed') return null;
  const news = [status.createdAt, status.updatedAt, ...stages.flatMap(stageNews)];
  return sinceNewest(news, now);
}

/** Everything that has been silent for too long, the job itself first. A task that waits for a machine is not expected to speak. */
export function silences(
  view: Watchable,
  now: number,
  thresholdMs = STALL_JOB_MS,
): readonly Silence[] {
  const jobMs = jobSilenceMs(view, now);
  if (jobMs === null) return [];
  const found: Silence[] = [];
  const add = (what: Silence['what'], name: string, silentMs: number | null): void => {
    if (silentMs !== null && silentMs >= thresholdMs) found.push({ what, name, silentMs });
  };
  add('job', view.status.jobId, jobMs);
  for (const entry of view.stages) {
    if (entry.stage.status !== 'running') continue;
    add('stage', entry.stage.name, sinceNewest(stageNews(entry), now));
    for (const task of entry.tasks) {
      if (task.status !== 'running' || task.progressFraction === null) continue;
      add('task', task.taskId, sinceNewest([task.eventAt], now));
    }
  }
  return found;
}

function times(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** "no news for 12 minutes"; hours and days from two of them on. */
export function silenceText(silentMs: number): string {
  if (silentMs >= 2 * DAY_MS) return `no news for ${times(Math.floor(silentMs / DAY_MS), 'day')}`;
  if (silentMs >= 2 * HOUR_MS) {
    return `no news for ${times(Math.floor(silentMs / HOUR_MS), 'hour')}`;
  }
  return `no news for ${times(Math.max(1, Math.floor(silentMs / MINUTE_MS)), 'minute')}`;
}
