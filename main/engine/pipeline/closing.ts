/** When a batch of a watch is closed for new items. The decision is pure; the step applies it to every open batch. */
import type { WatchRule } from '../../../preload/watchRule.ts';
import { type OpenBatch, openBatchesOf } from '../store/closing.ts';
import { sealBatch } from '../store/batches.ts';
import type { Watch } from '../store/watches.ts';
import type { Line } from './line.ts';

/** A template with {date} is over this long after midnight: late files of the day are in by then. */
const AFTER_MIDNIGHT_MS = 10 * 60_000;

/** Local midnight of the day of an instant, moved by a time of day ("HH:MM"), epoch ms. */
function timeOfDay(at: number, clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const date = new Date(at);
  date.setHours(hours, minutes, 0, 0);
  return date.getTime();
}

/** Why a batch is to be closed now; null when it stays open. */
export function closeReason(
  rule: WatchRule,
  batch: OpenBatch,
  watch: { readonly settling: number; readonly now: number },
): 'quiet' | 'full' | 'time' | 'day' | null {
  const { now } = watch;
  const { quietMinutes, items, at } = rule.seal;
  if (items !== null && batch.items >= items) return 'full';
  if (at !== null) {
    const today = timeOfDay(now, at);
    const noonBefore = timeOfDay(now, '00:00') - 12 * 3_600_000;
    const last = now >= today ? today : timeOfDay(noonBefore, at);
    if (batch.createdAt < last && last <= now) return 'time';
  }
  const waiting = batch.queued > 0 || watch.settling > 0;
  if (waiting) return null;
  if (quietMinutes !== null && now - batch.lastFoundAt >= quietMinutes * 60_000) return 'quiet';
  const midnight = timeOfDay(now, '00:00');
  const dated = rule.batch.includes('{date}');
  if (dated && batch.createdAt < midnight && now - midnight >= AFTER_MIDNIGHT_MS) return 'day';
  return null;
}

/** True when a rule closes its batches without a person. */
function closesByItself({ seal, batch }: WatchRule): boolean {
  return batch.includes('{date}') || Object.values(seal).some((value) => value !== null);
}

/** Closes the batches of a watch whose time has come. Answers how many. */
export function closeBatches(line: Line, watch: Watch, settling: number): number {
  const { store, ports } = line;
  const now = ports.clock.now();
  // Counting what a large batch holds is not for nothing.
  if (!closesByItself(watch.rule)) return 0;
  let closed = 0;
  for (const batch of openBatchesOf(store, watch.id)) {
    const reason = closeReason(watch.rule, batch, { settling, now });
    if (reason === null) continue;
    store.transaction(() => sealBatch(store, batch.id, now));
    ports.log.write('info', 'batch.closed', { batch: batch.batchId, reason });
    closed += 1;
  }
  return closed;
}
