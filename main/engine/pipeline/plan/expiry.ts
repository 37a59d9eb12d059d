/** Only the service decides when a batch expires: by the date it states and its own clock, or by no longer knowing the batch. */
import { ok, type Result } from '../../core/errors.ts';
import {
  type Batch,
  batchByRow,
  batchesToExpire,
  expireBatch,
  setExpiry,
} from '../../store/tables/batches.ts';
import { unassign, untouchedTransfers } from '../../store/queue/awaited.ts';
import { mayBeUnlisted, tallyBatch } from '../../store/queue/confirmation.ts';
import { itemsOfTransfer } from '../../store/tables/items.ts';
import { dropTransfer } from '../../store/tables/transfers.ts';
import { clearWait } from '../../store/tables/waits.ts';
import { readPresence } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';

/** When to check again a batch that could have expired but has not, in ms. Our choice. */
const ASK_AGAIN_MS = 60 * 60_000;
/** When to check again after an undecided check, in ms. Our choice. */
const ASK_SOON_MS = 60_000;
/** How many readings must agree before a batch counts as gone. Our choice. */
const LOOKS = 2;

/** A batch that looks empty while some of our files may not be listed yet is not proved to have expired. */
function isUndecided({ store, time, times }: Pipeline, batch: Batch): boolean {
  // Doubtful items do not count: when their batch expires, they are left to a person.
  return mayBeUnlisted(store, batch.id, time.now() - times.sentPatienceMs, false);
}

/** Whether a batch has expired; if not, when to check again, by the service's clock. Errors: those of reading. */
async function isOver(
  pipeline: Pipeline,
  batch: Batch,
): Promise<Result<{ over: boolean; at: number }>> {
  const { client, time, signal, store } = pipeline;
  const later = time.service() + ASK_AGAIN_MS;
  const metadata = await client.batchMetadata(batch.batchId, signal);
  if (!metadata.ok) return metadata;
  const stated = metadata.value?.expiresAt ?? null;
  if (stated !== null && time.knowsService()) {
    const over = stated <= time.service();
    return ok({ over, at: Math.max(stated, over ? 0 : time.service() + 1000) });
  }
  // It had expired only by our clock, while the service's time was unknown. Now it is known.
  const { expiresAt } = batch;
  if (time.knowsService() && expiresAt !== null && expiresAt > time.service())
    return ok({ over: false, at: expiresAt });
  // If none of our files was ever listed in it, its absence says nothing about its age, and our clock alone is not proof.
  // Whether what was sent to it is absent is decided by the ordinary rules.
  const wasSeen = tallyBatch(store, batch.id).confirmed > 0;
  if (!wasSeen && !time.knowsService()) return ok({ over: false, at: later });
  if (isUndecided(pipeline, batch)) return ok({ over: false, at: time.service() + ASK_SOON_MS });
  // One odd answer, or a count that lags behind the list, must not close a full batch.
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const seen = await readPresence(pipeline, batch.batchId);
    if (!seen.ok) return seen;
    if (!seen.value.isEmpty) return ok({ over: false, at: later });
  }
  // Something may have been sent during the requests.
  if (isUndecided(pipeline, batch)) return ok({ over: false, at: time.service() + ASK_SOON_MS });
  return ok({ over: true, at: later });
}

/** Expires a batch; what was never sent is planned again, for the next one. */
function expire({ store, ports, connectionId }: Pipeline, batch: Batch): void {
  const now = ports.clock.now();
  expireBatch(store, batch.id, now);
  clearWait(store, connectionId, `hold:${batch.batchId}`);
  clearWait(store, connectionId, `unknown:${batch.batchId}`);
  for (const id of untouchedTransfers(store, batch.id)) {
    const items = itemsOfTransfer(store, id);
    dropTransfer(store, id, now);
    for (const item of items) unassign(store, item.id);
  }
}

/** Checks every batch that may have expired and marks those that have. A check that fails is repeated later. */
export async function expireBatches(pipeline: Pipeline): Promise<void> {
  const { store, connectionId, time, ports } = pipeline;
  for (const batch of batchesToExpire(store, connectionId, time.service())) {
    if (pipeline.signal.aborted) return;
    const answer = await isOver(pipeline, batch);
    await store.soon(() => {
      // Two steps of a pipeline check this, so the other one may have been faster.
      if (batchByRow(store, batch.id)?.state === 'expired') return;
      if (answer.ok && answer.value.over) expire(pipeline, batch);
      else setExpiry(store, batch.id, answer.ok ? answer.value.at : time.service() + ASK_SOON_MS);
    });
    if (!answer.ok) pipeline.wait(answer.error, 'ask');
    else if (answer.value.over) ports.log.write('info', 'batch.expired', { batch: batch.batchId });
  }
}
