/** What every benchmark row receives and returns. */
import type { Cost } from './measure.ts';
import type { Figure } from './figures.ts';

/** How a row is measured. */
export interface Setting {
  /** How often each side runs. */
  readonly runs: number;
  /** Sizes are multiplied by this: 1, or less with --quick. */
  readonly scale: number;
  /** Use a million files in rows that support it. */
  readonly million: boolean;
  /** A directory for this row alone. */
  readonly directory: string;
}

/** A row of the table of goals. */
export interface Row {
  readonly name: string;
  /** What is measured, with its sizes at a scale of 1. */
  readonly about: string;
  /** For a row that needs something of the machine: what is missing; null if it can run. */
  readonly missing?: () => string | null;
  run(setting: Setting): Promise<readonly Figure[]>;
}

/** A size scaled by the setting, at least one. */
export function sized({ scale }: Setting, full: number): number {
  return Math.max(1, Math.round(full * scale));
}

/** Runs the sides alternately, A B A B; the turn's number allows new names each time. Returns the costs of each side. */
export async function inTurn(
  runs: number,
  ...sides: readonly ((turn: number) => Promise<Cost>)[]
): Promise<readonly (readonly Cost[])[]> {
  const costs: Cost[][] = sides.map(() => []);
  for (let turn = 0; turn < runs; turn += 1)
    for (const [index, side] of sides.entries()) costs[index]?.push(await side(turn));
  return costs;
}
