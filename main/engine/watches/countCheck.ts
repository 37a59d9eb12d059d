/** Before files are moved away: does the service still count what it confirmed? */
import { type Result, ok, sluiceError, type SluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import { batchByRow } from '../store/tables/batches.ts';

/**
 * Why the service may no longer have what it confirmed in a batch: someone may have deleted the batch or files of it. null when it
 * counts at least as many. Errors: those of the question.
 */
async function missingIn(
  { store, client, signal }: Pipeline,
  batchRow: number,
): Promise<Result<SluiceError | null>> {
  const batch = batchByRow(store, batchRow);
  if (batch === null || batch.state === 'expired') return ok(null);
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

/** How long a batch that lacked files is not asked about again, in ms. Our choice. */
const LACKING_MS = 600_000;

/** Creates the check of one mover. */
export function createCountCheck(pipeline: Pipeline) {
  const { clock } = pipeline.ports;
  const lacking = new Map<number, { readonly until: number; readonly error: SluiceError }>();
  const ask = async (batchRow: number): Promise<Result<void>> => {
    const missing = await missingIn(pipeline, batchRow);
    if (!missing.ok) return missing;
    lacking.delete(batchRow);
    const error = missing.value;
    if (error === null) return ok(undefined);
    lacking.set(batchRow, { until: clock.monotonicMs() + LACKING_MS, error });
    return { ok: false, error };
  };
  return {
    /** What a batch was found to lack a short time ago; null otherwise. */
    known(batchRow: number): SluiceError | null {
      const found = lacking.get(batchRow);
      return found !== undefined && clock.monotonicMs() < found.until ? found.error : null;
    },
    /** Returns a function that asks the service, once. Its errors: what the batch lacks, and those of the question. */
    asking(batchRow: number): () => Promise<Result<void>> {
      let asked: Promise<Result<void>> | null = null;
      return () => (asked ??= ask(batchRow));
    },
    forget: () => lacking.clear(),
  };
}
