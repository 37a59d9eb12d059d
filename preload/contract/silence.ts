/** Jobs, stages and tasks without news: "no news for 12 min". Pure; the same rules everywhere. Times are epoch ms. */
import type { Stage, Task } from './serviceRecords.ts';

/** After this long without news, something counts as silent, in ms. Our choice. */
export const SILENT_AFTER_MS = 12 * 60_000;

type TaskTimes = Pick<Task, 'taskId' | 'status' | 'progressFraction' | 'eventAt'>;

export interface StageTimes extends Pick<Stage, 'name' | 'status' | 'startedAt' | 'eventAt'> {
  readonly tasks: readonly TaskTimes[];
}

export interface JobTimes {
  readonly jobId: string;
  /** Only `queued` and `running` jobs are expected to report. */
  readonly state: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly stages: readonly StageTimes[];
}

/** Something that should report but does not. */
export interface Silence {
  readonly what: 'job' | 'stage' | 'task';
  /** The id of the job or task, or the name of the stage. */
  readonly name: string;
  /** Since its last news, ms. */
  readonly silentMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time since the newest timestamp; null when none is known (0). 0 if the service's clock is ahead. */
function sinceNewest(instants: readonly number[], now: number): number | null {
  const newest = instants.reduce((latest, at) => Math.max(latest, at), 0);
  return newest === 0 ? null : Math.max(0, now - newest);
}

function overdue(quietMs: number | null): number | null {
  return quietMs !== null && quietMs >= SILENT_AFTER_MS ? quietMs : null;
}

function stageInstants(stage: StageTimes): readonly number[] {
  return [stage.startedAt, stage.eventAt, ...stage.tasks.map((task) => task.eventAt)];
}

/** Time since any news of a job that has not ended, in ms; null when it has ended or no timestamp is known. */
export function jobQuietMs(job: JobTimes, now: number): number | null {
  if (job.state !== 'queued' && job.state !== 'running') return null;
  return sinceNewest([job.createdAt, job.updatedAt, ...job.stages.flatMap(stageInstants)], now);
}

/** How long a job with all its stages and tasks has been silent, in ms; null when it is not. */
export function jobSilenceMs(job: JobTimes, now: number): number | null {
  return overdue(jobQuietMs(job, now));
}

/** How long a running stage with all its tasks has been silent, in ms; null when it is not. */
export function stageSilenceMs(stage: StageTimes, now: number): number | null {
  return stage.status === 'running' ? overdue(sinceNewest(stageInstants(stage), now)) : null;
}

/** How long a task has been silent, in ms; null when it is not. A task that waits for a machine is not expected to report. */
export function taskSilenceMs(task: TaskTimes, now: number): number | null {
  if (task.status !== 'running' || task.progressFraction === null) return null;
  return overdue(sinceNewest([task.eventAt], now));
}

/** Everything that is silent, the job itself first. */
export function silences(job: JobTimes, now: number): readonly Silence[] {
  if (jobQuietMs(job, now) === null) return [];
  const found: Silence[] = [];
  const add = (what: Silence['what'], name: string, silentMs: number | null): void => {
    if (silentMs !== null) found.push({ what, name, silentMs });
  };
  add('job', job.jobId, jobSilenceMs(job, now));
  for (const stage of job.stages) {
    if (stage.status !== 'running') continue;
    add('stage', stage.name, stageSilenceMs(stage, now));
    for (const task of stage.tasks) add('task', task.taskId, taskSilenceMs(task, now));
  }
  return found;
}

/** "no news for 12 min"; switches to hours and to days at two of them. */
export function silenceText(silentMs: number): string {
  if (silentMs >= 2 * DAY_MS) return `no news for ${Math.floor(silentMs / DAY_MS)} days`;
  if (silentMs >= 2 * HOUR_MS) return `no news for ${Math.floor(silentMs / HOUR_MS)} h`;
  return `no news for ${Math.max(1, Math.floor(silentMs / MINUTE_MS))} min`;
}
