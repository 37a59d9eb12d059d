/** Before files are moved away: does the service still count what it confirmed? */
import { type Result, ok, sluiceError, type SluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import { batchByRow, endedEarly } from '../store/tables/batches.ts';

/**
 * Why the service may no longer have what it confirmed in a batch: someone may have deleted the batch or files of it. null when it
 * counts at least as many, or has deleted the batch at the end of its time. Errors: those of the question.
 */
async function missingIn(
  { store, client, signal, times }: Pipeline,
  batchRow: number,
): Promise<Result<SluiceError | null>> {
  const batch = batchByRow(store, batchRow);
  const isOver = batch?.state === 'expired' && !endedEarly(store, batchRow, times.retentionMs);
  if (batch === null || isOver) return ok(null);
  const count = await client.askCount(batch.batchId, null, signal);
  if (!count.ok) return count;
  const { confirmed } = tallyBatch(store, batchRow);
  if (count.value !== null && count.value >= confirmed) return ok(null);
  const reason =
    count.value === null
      ? `it does not know batch ${batch.batchId}`
      : `it counts ${count.value} of ${confirmed} files in batch ${batch.batchId}`;
  return ok(sluiceError('batch.lacksFiles', { reason }));
}

/**
 * Creates the last check before the first file of a batch is moved; with null, nothing is checked. It asks the service once. Its errors:
 * what the batch lacks, and those of the question.
 */
export function createCountCheck(
  pipeline: Pipeline,
  batchRow: number | null,
): () => Promise<Result<void>> {
  const ask = async (): Promise<Result<void>> => {
    const missing = batchRow === null ? ok(null) : await missingIn(pipeline, batchRow);
    if (!missing.ok) return missing;
    return missing.value === null ? ok(undefined) : { ok: false, error: missing.value };
  };
  let asked: Promise<Result<void>> | null = null;
  return () => (asked ??= ask());
}
