/** Before a job starts, or files are moved away: does the service still count what it confirmed? */
import { type Result, type SluiceError, ok, sluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import { type Batch, batchByRow, endedEarly } from '../store/tables/batches.ts';
import { batchesReadyForJob, hasActiveJobs } from '../store/queue/closing.ts';
import type { Store } from '../store/store.ts';
import { type StoredWait, waitsOf } from '../store/tables/waits.ts';

/** batch.lacksFiles if the service counts fewer files in a batch than it confirmed, or with null does not know the batch; else null. */
export function lackOf(store: Store, batch: Batch, count: number | null): SluiceError | null {
  const { confirmed } = tallyBatch(store, batch.id);
  if (count !== null && count >= confirmed) return null;
  const reason =
    count === null
      ? `it does not know batch ${batch.batchId}`
      : `it counts ${count} of ${confirmed} files in batch ${batch.batchId}`;
  return sluiceError('batch.lacksFiles', { reason });
}

/**
 * Whether the service still has the files that it confirmed in a batch: it counts at least as many, or it has deleted the batch at the end
 * of its time. Errors: batch.lacksFiles, because someone may have deleted the batch or some of its files, and those of the request.
 */
async function holdsAll(
  { store, client, signal, times }: Pipeline,
  batchRow: number,
): Promise<Result<void>> {
  const batch = batchByRow(store, batchRow);
  const isOver = batch?.state === 'expired' && !endedEarly(store, batchRow, times.retentionMs);
  if (batch === null || isOver) return ok(undefined);
  const count = await client.askCount(batch.batchId, null, signal);
  if (!count.ok) return count;
  const lack = lackOf(store, batch, count.value);
  return lack === null ? ok(undefined) : { ok: false, error: lack };
}

/**
 * Creates the last check before the first file of a batch is moved; with null, nothing is checked. The check asks the service once. Errors:
 * batch.lacksFiles, and those of the request.
 */
export function createCountCheck(
  pipeline: Pipeline,
  batchRow: number | null,
): () => Promise<Result<void>> {
  let asked: Promise<Result<void>> | null = null;
  return async () => (batchRow === null ? ok(undefined) : (asked ??= holdsAll(pipeline, batchRow)));
}

/** The wait of a job that does not start because its batch lacks files; null while another job of these watches makes progress. */
export function blockedJob(
  { store, connectionId }: Pick<Pipeline, 'store' | 'connectionId'>,
  watchIds: readonly number[],
): StoredWait | null {
  if (hasActiveJobs(store, connectionId, watchIds)) return null;
  const ready = batchesReadyForJob(store, connectionId)
    .filter(({ watchId }) => watchIds.includes(watchId))
    .map(({ batchId }) => `ready:${batchId}`);
  const isBlocked = ({ subject, code }: StoredWait): boolean =>
    code === 'batch.lacksFiles' && ready.includes(subject);
  return waitsOf(store, connectionId).find(isBlocked) ?? null;
}
