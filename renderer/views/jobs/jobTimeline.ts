/** Stages as lanes and tasks as bars over time: the position of each, as fractions of the width. Pure. */
import type { Task } from '../../../preload/contract/serviceRecords.ts';
import type { StageView } from '../../../preload/contract/records.ts';
import { stageSilenceMs, taskSilenceMs } from '../../../preload/contract/silence.ts';

type BarState = Task['status'] | 'silent';

/** One task: the time it has reported on (`x` to `x + width`) and the silence since then (`tailWidth`, up to now). */
export interface TaskBar {
  readonly task: Task;
  readonly state: BarState;
  readonly silentMs: number | null;
  readonly x: number;
  readonly width: number;
  readonly tailWidth: number;
}

export interface Lane {
  readonly stage: StageView;
  readonly silentMs: number | null;
  readonly bars: readonly TaskBar[];
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  /** In a state for which the service has a word of its own. */
  readonly unknown: number;
  /** Not started yet, by the service's count: registered without progress, or not registered. 0 for a stage that has ended. */
  readonly waiting: number;
  /** Tasks that the snapshot left out; if there are any, `waiting` is unknown and 0. */
  readonly leftOut: number;
}

export interface Tick {
  readonly x: number;
  readonly afterMs: number;
}

export interface Timeline {
  readonly from: number;
  readonly until: number;
  readonly lanes: readonly Lane[];
  readonly ticks: readonly Tick[];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 50].map((n) => n * DAY),
];
const MOST_TICKS = 6;
/** The shortest span drawn: a job that has just started still has an axis. */
const LEAST_SPAN_MS = 10 * SECOND;

/** Marks at round times: at most six, the first at the start. */
export function ticksOf(spanMs: number): readonly Tick[] {
  const step = STEPS.find((ms) => spanMs / ms <= MOST_TICKS) ?? spanMs;
  const count = Math.max(1, Math.floor(spanMs / step) + 1);
  return Array.from({ length: Math.min(count, MOST_TICKS + 1) }, (_, index) => ({
    afterMs: index * step,
    x: (index * step) / spanMs,
  }));
}

function instants(stages: readonly StageView[]): readonly number[] {
  return stages
    .flatMap((stage) => [
      stage.startedAt,
      stage.eventAt,
      ...stage.tasks.map((task) => task.eventAt),
    ])
    .filter((at) => Number.isFinite(at) && at > 0);
}

function span(stages: readonly StageView[], now: number): { from: number; until: number } {
  const known = instants(stages);
  // If the service's clock is ahead, the job started in our future; its own first timestamp is still the start.
  const from = known.reduce((least, at) => Math.min(least, at), known[0] ?? now);
  const latest = known.reduce((most, at) => Math.max(most, at), from);
  const live = stages.some((stage) => stage.status === 'running');
  return { from, until: Math.max(live ? Math.max(latest, now) : latest, from + LEAST_SPAN_MS) };
}

function begun(task: Task): boolean {
  return task.status !== 'running' || task.progressFraction !== null;
}

type Place = (at: number) => number;

function barOf(task: Task, stage: StageView, place: Place, now: number): TaskBar {
  const silentMs = taskSilenceMs(task, now);
  const x = place(stage.startedAt);
  const told = Math.max(x, place(task.eventAt));
  const end = task.status === 'running' ? Math.max(told, place(now)) : told;
  const state = task.status === 'running' && silentMs !== null ? 'silent' : task.status;
  return { task, state, silentMs, x, width: told - x, tailWidth: end - told };
}

const FIRST: Readonly<Record<BarState, number>> = {
  silent: 0,
  failed: 1,
  unknown: 2,
  running: 3,
  succeeded: 4,
};

function laneOf(stage: StageView, place: Place, now: number): Lane {
  const bars = stage.tasks
    .filter(begun)
    .map((task) => barOf(task, stage, place, now))
    .sort((a, b) => FIRST[a.state] - FIRST[b.state] || a.task.eventAt - b.task.eventAt);
  const count = (status: Task['status']): number =>
    bars.filter((bar) => bar.task.status === status).length;
  const leftOut = Math.max(0, stage.tasksNumber - stage.tasks.length);
  const hasEnded = stage.status !== 'running';
  const cut = stage.tasks.length >= MOST_TASKS && leftOut > 0;
  return {
    stage,
    silentMs: stageSilenceMs(stage, now),
    bars,
    done: count('succeeded'),
    failed: count('failed'),
    running: count('running'),
    unknown: count('unknown'),
    waiting: cut || hasEnded ? 0 : Math.max(0, stage.tasksNumber - bars.length),
    leftOut: cut ? leftOut : 0,
  };
}

/** The maximum number of tasks per stage in a snapshot (preload/contract/records.ts). */
const MOST_TASKS = 500;

/** Positions every stage and every started task. Works even if the service's clock is ahead or it gives no time. */
export function timelineOf(stages: readonly StageView[], now: number): Timeline {
  const { from, until } = span(stages, now);
  const place: Place = (at) => {
    const known = Number.isFinite(at) && at > 0 ? at : from;
    return Math.min(1, Math.max(0, (known - from) / (until - from)));
  };
  const lanes = [...stages]
    .sort((a, b) => a.startedAt - b.startedAt)
    .map((stage) => laneOf(stage, place, now));
  return { from, until, lanes, ticks: ticksOf(until - from) };
}

/** "5 min", "1 h 30 min", "2 d": time since the start, for the axis. */
export function axisWords(afterMs: number): string {
  if (afterMs < MINUTE) return `${Math.round(afterMs / SECOND)} s`;
  if (afterMs < HOUR) return `${Math.round(afterMs / MINUTE)} min`;
  const hours = Math.floor(afterMs / HOUR);
  const minutes = Math.round((afterMs % HOUR) / MINUTE);
  if (afterMs < DAY) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  return `${Math.round(afterMs / DAY)} d`;
}
