/** Stages and tasks that should tell of themselves and do not, as the engine judges them (main/engine/pipeline/process/stall.ts). */
import type { JobDetail, StageView, TaskRow } from '../../../preload/contract/records.ts';

/** Without news for this long, something is said to be silent: 12 minutes, as in the engine. */
const SILENT_MS = 12 * 60_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function since(instants: readonly number[], now: number): number | null {
  const newest = instants.reduce((latest, at) => (at > latest ? at : latest), 0);
  if (newest === 0) return null;
  const silence = Math.max(0, now - newest);
  return silence >= SILENT_MS ? silence : null;
}

/** How long a task has been silent, ms; null while nothing is amiss. One that waits for a machine is not expected to speak. */
export function taskSilenceMs(task: TaskRow, now: number): number | null {
  if (task.status !== 'running' || task.progressFraction === null) return null;
  return since([task.eventAt], now);
}

function stageNews(stage: StageView): readonly number[] {
  return [stage.startedAt, stage.eventAt, ...stage.tasks.map((task) => task.eventAt)];
}

/** How long a running stage and all of its tasks have been silent, ms; null while nothing is amiss. */
export function stageSilenceMs(stage: StageView, now: number): number | null {
  return stage.status === 'running' ? since(stageNews(stage), now) : null;
}

/** How long a job at the service has told nothing at all, ms; null while nothing is amiss, or when it has ended. */
export function jobSilenceMs(detail: JobDetail, now: number): number | null {
  const { state, createdAt, updatedAt } = detail.job;
  if (state !== 'queued' && state !== 'running') return null;
  return since([createdAt, updatedAt, ...detail.stages.flatMap(stageNews)], now);
}

/** "no news for 12 min"; hours and days from two of them on. */
export function silenceWords(silentMs: number): string {
  if (silentMs >= 2 * DAY_MS) return `no news for ${Math.floor(silentMs / DAY_MS)} days`;
  if (silentMs >= 2 * HOUR_MS) return `no news for ${Math.floor(silentMs / HOUR_MS)} h`;
  return `no news for ${Math.max(1, Math.floor(silentMs / MINUTE_MS))} min`;
}
