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
      const before = failing.get(batchRow) ?? { pauseMs: gateFirstMs / GROWTH, until: now };
      // The one that failed last comes last.
      failing.delete(batchRow);
      if (!hasFailed) return;
      const pauseMs = Math.min(gateMaxMs, before.pauseMs * GROWTH);
      // Tries that were in progress when the last one failed add no news.
      failing.set(batchRow, now < before.until ? before : { pauseMs, until: now + pauseMs });
    },
    /**
     * Rows of the batches that let others go first: while one file tests whether an outage is over, all that fail; else for a pause. The one
     * that failed longest ago comes first.
     */
    now: (isTest: boolean): readonly number[] =>
      [...failing].flatMap(([row, { until }]) => (isTest || monotonicMs() < until ? [row] : [])),
  };
}

export type FailingBatches = ReturnType<typeof createFailingBatches>;
