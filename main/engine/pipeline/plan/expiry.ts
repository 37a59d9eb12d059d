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
import { forgetLost } from '../../store/queue/lost.ts';
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

function isBeingSent({ store }: Pipeline, batch: Batch): boolean {
  return tallyBatch(store, batch.id).sending > 0;
}

/**
 * Whether a batch has expired; if not, `at` says when to check again, by the service's clock. `at` is null while a body is on its way
 * there: the end of that body causes the next check.
 */
async function isOver(
  pipeline: Pipeline,
  batch: Batch,
): Promise<Result<{ over: boolean; at: number | null }>> {
  const { client, time, times, signal, store } = pipeline;
  const later = time.service() + ASK_AGAIN_MS;
  const metadata = await client.batchMetadata(batch.batchId, signal);
  if (!metadata.ok) return metadata;
  const stated = metadata.value?.expiresAt ?? null;
  if (stated !== null && time.knowsService()) {
    const over = stated <= time.service();
    return ok({ over, at: Math.max(stated, over ? 0 : time.service() + 1000) });
  }
  // The batch had expired only by our clock, while the service's time was unknown. Now that time is known.
  const { expiresAt } = batch;
  if (time.knowsService() && expiresAt !== null && expiresAt > time.service())
    return ok({ over: false, at: expiresAt });
  // If none of our files was ever listed in the batch, the fact that the service does not know it says nothing about its age, and our clock
  // alone is no proof. Whether the files that were sent to it are absent is decided by the ordinary rules.
  const wasSeen = tallyBatch(store, batch.id).confirmed > 0;
  if (!wasSeen && !time.knowsService()) return ok({ over: false, at: later });
  const wasBeingSent = isBeingSent(pipeline, batch);
  // One odd answer, or a count that lags behind the list, must not close a full batch.
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const seen = await readPresence(pipeline, batch.batchId);
    if (!seen.ok) return seen;
    if (!seen.value.isEmpty) return ok({ over: false, at: later });
  }
  // A batch that looks empty while some of our files may not be listed yet is not proved to have expired. Doubtful items do not prevent
  // that: when their batch expires, a person decides about them.
  if (wasBeingSent || isBeingSent(pipeline, batch)) return ok({ over: false, at: null });
  const isUndecided = mayBeUnlisted(store, batch.id, time.now() - times.sentPatienceMs, false);
  return ok({ over: !isUndecided, at: time.service() + ASK_SOON_MS });
}

/** Marks a batch as expired. Items that were never sent, or were lost, are planned again, for the next generation. */
function expire({ store, ports, connectionId }: Pipeline, batch: Batch): void {
  const now = ports.clock.now();
  expireBatch(store, batch.id, now);
  clearWait(store, connectionId, `hold:${batch.batchId}`);
  clearWait(store, connectionId, `unknown:${batch.batchId}`);
  for (const id of untouchedTransfers(store, batch.id)) {
    const items = itemsOfTransfer(store, id);
    forgetLost(store, id);
    dropTransfer(store, id, now);
    for (const item of items) unassign(store, item.id);
  }
}

/**
 * Records what a check showed. While a body is on its way there, its files may still go back to the queue, so the batch stays due and
 * nothing more is sent to it. When that body ends, planning and confirming wake up, and the next check decides. Returns true if sending to
 * the batch may continue.
 */
function record(
  pipeline: Pipeline,
  batch: Batch,
  answer: Awaited<ReturnType<typeof isOver>>,
): boolean {
  const { store, time, ending } = pipeline;
  const present = batchByRow(store, batch.id);
  // Two steps of a pipeline check this, so the other one may have been faster.
  if (present?.state === 'expired') return false;
  const at = answer.ok ? answer.value.at : time.service() + ASK_SOON_MS;
  const isOverNow = answer.ok && answer.value.over;
  if (at === null || (isOverNow && isBeingSent(pipeline, batch))) {
    if (present?.expiresAt === batch.expiresAt) ending.add(batch.id);
    return false;
  }
  if (isOverNow) expire(pipeline, batch);
  else setExpiry(store, batch.id, at);
  return ending.delete(batch.id);
}

/** Checks every batch that may have expired and marks those that have. A check that fails is repeated later. */
export async function expireBatches(pipeline: Pipeline): Promise<void> {
  const { store, connectionId, time, ports, ending } = pipeline;
  const due = batchesToExpire(store, connectionId, time.service());
  for (const id of ending) {
    // Meanwhile the service has stated a later end, or a clock was set: sending continues.
    if (due.some((batch) => batch.id === id)) continue;
    ending.delete(id);
    pipeline.changed('transfer');
  }
  for (const batch of due) {
    if (pipeline.signal.aborted) return;
    if (ending.has(batch.id) && isBeingSent(pipeline, batch)) continue;
    const answer = await isOver(pipeline, batch);
    const goesOn = await store.soon(() => record(pipeline, batch, answer));
    if (goesOn) pipeline.changed('transfer');
    if (!answer.ok) pipeline.wait(answer.error, 'ask');
    else if (batchByRow(store, batch.id)?.state === 'expired')
      ports.log.write('info', 'batch.expired', { batch: batch.batchId });
  }
}
