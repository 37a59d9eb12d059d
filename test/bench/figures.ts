/** The results of a benchmark row: medians with their spread, compared with a goal. */
import type { Cost } from './measure.ts';

/** Of several runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** One measured thing. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly value: Spread;
  /** An upper or lower limit; null when the figure is only reported. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number } | null;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: at(Math.floor((sorted.length - 1) / 2)),
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** Whether a goal is reached; null without one. */
export function isReached({ value, goal }: Figure): boolean | null {
  if (goal === null) return null;
  return 'atMost' in goal ? value.median <= goal.atMost : value.median >= goal.atLeast;
}

const MIB = 1024 * 1024;
/** Memory goal of every row: at most this much. */
const MOST_MIB = 180;

/** Time, processor time and memory of several runs. */
export function costFigures(
  who: string,
  costs: readonly Cost[],
  goals: { readonly cpuSeconds?: number; readonly isOurs?: boolean } = {},
): readonly Figure[] {
  const figure = (what: string, unit: string, of: (cost: Cost) => number): Figure => ({
    ...{ what: `${who}, ${what}`, unit, value: spreadOf(costs.map(of)), goal: null },
  });
  const cpu = figure('processor time', 's', ({ cpuSeconds }) => cpuSeconds);
  const memory = figure('memory at most', 'MiB', ({ peakBytes }) => peakBytes / MIB);
  return [
    figure('time', 's', ({ seconds }) => seconds),
    goals.cpuSeconds === undefined ? cpu : { ...cpu, goal: { atMost: goals.cpuSeconds } },
    goals.isOurs === true ? { ...memory, goal: { atMost: MOST_MIB } } : memory,
  ];
}

/** A ratio of two times, computed pair by pair from alternating runs, so that a busy machine affects both equally. */
export function ratioFigure(
  what: string,
  over: readonly Cost[],
  under: readonly Cost[],
  goal: Figure['goal'],
): Figure {
  const ratios = over.map(({ seconds }, index) => seconds / (under[index]?.seconds ?? Number.NaN));
  return { what, unit: '×', value: spreadOf(ratios), goal };
}

/** The same for processor time, which other programs on a busy machine hardly affect. */
export function cpuRatioFigure(
  what: string,
  over: readonly Cost[],
  under: readonly Cost[],
): Figure {
  const middle = spreadOf(under.map(({ cpuSeconds }) => cpuSeconds)).median;
  const value = spreadOf(over.map(({ cpuSeconds }) => cpuSeconds / middle));
  return { what: `processor time relative to ${what}`, unit: '×', value, goal: null };
}

function shown(value: number, unit: string): string {
  const digits = unit === 'MiB' || unit === '/s' || Math.abs(value) >= 100 ? 0 : 2;
  return value.toFixed(digits);
}

/** A figure as a line of text. */
export function lineOf(figure: Figure): string {
  const { what, unit, value, goal } = figure;
  const reached = isReached(figure);
  const spread = `${shown(value.least, unit)} to ${shown(value.most, unit)}`;
  const aim =
    goal === null ? '' : 'atMost' in goal ? `goal ≤ ${goal.atMost}` : `goal ≥ ${goal.atLeast}`;
  return [
    `  ${what}`.padEnd(52),
    `${shown(value.median, unit)} ${unit}`.padStart(11),
    ` (${spread})`.padEnd(20),
    aim.padEnd(12),
    reached === null ? '' : reached ? '✓' : '✗',
  ]
    .join(' ')
    .trimEnd();
}
