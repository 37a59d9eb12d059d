/** When a batch ends is the service's word: its own date by its own clock, or that it does not know the batch any more. */
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

/** A batch that may be over and is not is asked about again after this time. Ours. */
const ASK_AGAIN_MS = 60 * 60_000;
/** After a look that could not decide, ms. Ours. */
const ASK_SOON_MS = 60_000;
/** Looks at a batch that agree before it counts as gone. Ours. */
const LOOKS = 2;

/** A batch that looks empty while something of it may not be listed yet is not shown to be over. */
function isUndecided({ store, time, times }: Pipeline, batch: Batch): boolean {
  // What is in doubt is left to a person when its batch is over: nothing follows from it here.
  return mayBeUnlisted(store, batch.id, time.now() - times.sentPatienceMs, false);
}

/** Whether a batch is over; otherwise when it is asked again, by the service's clock. Errors: of reading. */
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
  // Its time was over by our clock alone while the time of the service was unknown: now it is known.
  const { expiresAt } = batch;
  if (time.knowsService() && expiresAt !== null && expiresAt > time.service())
    return ok({ over: false, at: expiresAt });
  // Nothing of ours was ever seen in it: that it is not there says nothing about its age, which only our clock knows unless the
  // service states the time. What was sent to it is absent, or not, by the ordinary rules.
  const wasSeen = tallyBatch(store, batch.id).confirmed > 0;
  if (!wasSeen && !time.knowsService()) return ok({ over: false, at: later });
  if (isUndecided(pipeline, batch)) return ok({ over: false, at: time.service() + ASK_SOON_MS });
  // One odd answer, or a count that lags behind the list, must not close a full batch.
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const seen = await readPresence(pipeline, batch.batchId);
    if (!seen.ok) return seen;
    if (!seen.value.isEmpty) return ok({ over: false, at: later });
  }
  // Something may have been sent while the service was asked.
  if (isUndecided(pipeline, batch)) return ok({ over: false, at: time.service() + ASK_SOON_MS });
  return ok({ over: true, at: later });
}

/** Ends a batch; what never left is planned again, for the next one. */
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

/** Asks about every batch whose time may be over, and marks those that are. What cannot be asked is asked later. */
export async function expireBatches(pipeline: Pipeline): Promise<void> {
  const { store, connectionId, time, ports } = pipeline;
  for (const batch of batchesToExpire(store, connectionId, time.service())) {
    if (pipeline.signal.aborted) return;
    const answer = await isOver(pipeline, batch);
    await store.soon(() => {
      // Two steps of a pipeline ask about it.
      if (batchByRow(store, batch.id)?.state === 'expired') return;
      if (answer.ok && answer.value.over) expire(pipeline, batch);
      else setExpiry(store, batch.id, answer.ok ? answer.value.at : time.service() + ASK_SOON_MS);
    });
    if (!answer.ok) pipeline.wait(answer.error, 'ask');
    else if (answer.value.over) ports.log.write('info', 'batch.expired', { batch: batch.batchId });
  }
}
