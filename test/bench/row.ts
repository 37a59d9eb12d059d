/** What every row of the benchmark gets, and what it answers. */
import type { Cost } from './measure.ts';
import type { Figure } from './figures.ts';

/** How a row is measured. */
export interface Setting {
  /** How often each side runs. */
  readonly runs: number;
  /** Sizes are multiplied by this: 1, or less with --quick. */
  readonly scale: number;
  /** A million files are wanted where a row can do it. */
  readonly million: boolean;
  /** A directory of the row alone. */
  readonly directory: string;
}

/** A row of the table of goals. */
export interface Row {
  readonly name: string;
  /** What is measured, with its sizes at a scale of 1. */
  readonly about: string;
  /** A row that needs something of the machine says what is missing; null: it can run. */
  readonly missing?: () => string | null;
  run(setting: Setting): Promise<readonly Figure[]>;
}

/** A size at the scale of a setting, at least one. */
export function sized({ scale }: Setting, full: number): number {
  return Math.max(1, Math.round(full * scale));
}

/** Runs two sides in turn, A B A B; the number of the turn makes names that are new each time. */
export async function inTurn(
  runs: number,
  one: (turn: number) => Promise<Cost>,
  other: (turn: number) => Promise<Cost>,
): Promise<readonly [readonly Cost[], readonly Cost[]]> {
  const [costs, others]: [Cost[], Cost[]] = [[], []];
  for (let turn = 0; turn < runs; turn += 1) {
    costs.push(await one(turn));
    others.push(await other(turn));
  }
  return [costs, others];
}
