/** Before files are moved away: does the service still count what it confirmed? */
import { ok, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import { batchByRow } from '../store/tables/batches.ts';
import { itemsToMove } from '../store/tables/moves.ts';

/**
 * Why the service may no longer have what it confirmed in a batch: someone may have deleted the batch or files of it. null when it
 * counts at least as many. Errors: those of the question.
 */
async function missingSince(
  pipeline: Pipeline,
  batchRow: number,
): Promise<Result<SluiceError | null>> {
  const { store, client, signal } = pipeline;
  const batch = batchByRow(store, batchRow);
  const isOver = batch === null || batch.state === 'expired';
  if (isOver || itemsToMove(store, batchRow, 0, 1).length === 0) return ok(null);
  const count = await client.askCount(batch.batchId, null, signal);
  if (!count.ok) return count;
  if (count.value === null) return ok(sluiceError('batch.gone', { reason: batch.batchId }));
  const { confirmed } = tallyBatch(store, batchRow);
  if (count.value >= confirmed) return ok(null);
  const reason = `it counts ${count.value} of ${confirmed} files in batch ${batch.batchId}`;
  return ok(sluiceError('service.unexpectedAnswer', { reason }));
}

/** How long a count holds, in ms: files that were changed since may keep their batch unfinished for good. Our choice. */
const COUNTED_MS = 600_000;

/** Creates missingSince() with a memory. */
export function createCountCheck(pipeline: Pipeline) {
  const known = new Map<number, { readonly until: number; readonly said: SluiceError | null }>();
  return {
    of: async (batchRow: number): Promise<Result<SluiceError | null>> => {
      const now = pipeline.ports.clock.monotonicMs();
      const before = known.get(batchRow);
      if (before !== undefined && now < before.until) return ok(before.said);
      const missing = await missingSince(pipeline, batchRow);
      if (missing.ok) known.set(batchRow, { until: now + COUNTED_MS, said: missing.value });
      return missing;
    },
    forget: () => known.clear(),
  };
}
