/** Batches whose tries fail: the others go first. Otherwise only files of a failing batch would test whether an outage is over. */
import type { PipelineTimes } from '../../core/limits.ts';
import type { Clock } from '../../core/ports.ts';

const GROWTH = 2;

/** Creates the memory of a pipeline. A restart loses it, and the batches are tried again. */
export function createFailingBatches(
  { gateFirstMs, gateMaxMs }: Pick<PipelineTimes, 'gateFirstMs' | 'gateMaxMs'>,
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
) {
  const failing = new Map<number, { readonly pauseMs: number; readonly until: number }>();
  return {
    noteEnd: (batchRow: number, hasFailed: boolean): void => {
      const now = monotonicMs();
      const { pauseMs = gateFirstMs / GROWTH, until = now } = failing.get(batchRow) ?? {};
      if (!hasFailed) failing.delete(batchRow);
      // Tries that were in progress when the last one failed add no news.
      else if (now >= until) {
        const next = Math.min(gateMaxMs, pauseMs * GROWTH);
        failing.set(batchRow, { pauseMs: next, until: now + next });
      }
    },
    /** Rows of the batches that let others go first: while one file tests whether an outage is over, all that fail; else for a pause. */
    now: (isTest: boolean): readonly number[] =>
      [...failing].flatMap(([row, { until }]) => (isTest || monotonicMs() < until ? [row] : [])),
  };
}

export type FailingBatches = ReturnType<typeof createFailingBatches>;
