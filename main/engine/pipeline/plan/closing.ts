/** Decides when a batch of a watch is closed to new items. The decision is pure; the step applies it to every open batch. */
import type { WatchRule } from '../../core/contract.ts';
import {
  isNumberedFull,
  type OpenBatch,
  openBatchesOf,
  transferFoundAt,
} from '../../store/queue/closing.ts';
import { batchSize, sealBatch } from '../../store/tables/batches.ts';
import type { Watch } from '../../store/tables/watches.ts';
import type { Pipeline } from '../context.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long after midnight, and after its last file, a batch named by {date} closes: late files of the day have arrived by then. */
const AFTER_MIDNIGHT_MS = 10 * MINUTE_MS;

/** A local time of day ("HH:MM") on the day of a timestamp, in epoch ms. */
function timeOfDay(at: number, clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const date = new Date(at);
  date.setHours(hours, minutes, 0, 0);
  return date.getTime();
}

/**
 * A time of day on the day before or after that of a timestamp. Counts from noon, so that a change to or from summer time cannot shift the
 * day.
 */
function onOtherDay(at: number, days: 1 | -1, clock: string): number {
  return timeOfDay(timeOfDay(at, '12:00') + days * DAY_MS, clock);
}

export interface ClosingFacts {
  /** Number of our items in the batch, without skipped ones; 0 if no rule counts them. */
  readonly items: number;
  /** Number of files of the watch that are not stable yet. */
  readonly settling: number;
  /** Wall clock, in epoch ms: times of day follow the local clock. */
  readonly now: number;
  /** How long nothing new has come into the batch, in ms on the monotonic clock. */
  readonly quietForMs: number;
  /** When the newest file of the batch was found, epoch ms; null while it has none. */
  readonly newestFoundAt: number | null;
}

type CloseReason = 'full' | 'time' | 'quiet' | 'day';

/** The reasons to close a batch, in order of precedence, and in how many ms each applies: 0 or less means now. Pure. */
function closeTimes(
  rule: WatchRule,
  batch: OpenBatch,
  { items: count, settling, now, quietForMs, newestFoundAt }: ClosingFacts,
): readonly { readonly reason: CloseReason; readonly inMs: number }[] {
  const { quietMinutes, items, at } = rule.seal;
  const times: { reason: CloseReason; inMs: number }[] = [];
  // A batch that was created while the clock was ahead would otherwise stay open until that day.
  const createdAt = batch.createdAt > now + DAY_MS ? 0 : batch.createdAt;
  if (items !== null && count >= items) times.push({ reason: 'full', inMs: 0 });
  if (at !== null) {
    const today = timeOfDay(now, at);
    const last = now >= today ? today : onOtherDay(now, -1, at);
    const next = today > now ? today : onOtherDay(now, 1, at);
    times.push({ reason: 'time', inMs: createdAt < last ? 0 : next - now });
  }
  const isBusy = batch.waiting || settling > 0;
  if (quietMinutes !== null && !isBusy) {
    times.push({ reason: 'quiet', inMs: quietMinutes * MINUTE_MS - quietForMs });
  }
  if (rule.batch.includes('{date}')) {
    const midnight = timeOfDay(now, '00:00');
    // A batch opened after midnight, because the service could not be reached before, may hold only files of the day before.
    const isOver = Math.min(createdAt, newestFoundAt ?? createdAt) < midnight;
    const begins = (isOver ? midnight : onOtherDay(now, 1, '00:00')) + AFTER_MIDNIGHT_MS;
    const pause = isOver ? AFTER_MIDNIGHT_MS - quietForMs : 0;
    // Files found from now on have another date. A camera that never pauses must not keep this batch open.
    if (!isOver || !batch.late) times.push({ reason: 'day', inMs: Math.max(begins - now, pause) });
  }
  return times;
}

/**
 * The reason to close a batch now, or in how many ms to check it again; null when time alone never closes it. Newly found files end that
 * pause early. While files are still in progress, it is checked again after `busyMs`. Pure.
 */
export function closingOf(
  rule: WatchRule,
  batch: OpenBatch,
  facts: ClosingFacts,
  busyMs: number,
): { readonly reason: CloseReason | null; readonly againMs: number | null } {
  const times = closeTimes(rule, batch, facts);
  const due = times.find(({ inMs }) => inMs <= 0);
  if (due !== undefined) return { reason: due.reason, againMs: null };
  const pauses = times.map(({ inMs }) => inMs);
  if (batch.waiting || facts.settling > 0) pauses.push(busyMs);
  return { reason: null, againMs: pauses.length === 0 ? null : Math.min(...pauses) };
}

/** True when a rule closes its batches without a person. */
export function closesByItself({ seal, batch, itemsPerBatch }: WatchRule): boolean {
  const isSealed = Object.values(seal).some((value) => value !== null);
  return batch.includes('{date}') || itemsPerBatch !== null || isSealed;
}

/** The state of an open batch when it last received something. */
interface SeenBatch {
  readonly newestTransfer: number | null;
  readonly newestFoundAt: number | null;
  /** Since when it has received nothing, in monotonic ms. */
  readonly since: number;
  readonly items: number;
}

/** State of each open batch of a watch, by row. */
export type ClosingMemory = Map<number, SeenBatch>;

/** The state of a batch. Counts its items again only when the batch received something; reads the wall clock only the first time. */
function see(
  pipeline: Pipeline,
  rule: WatchRule,
  memory: ClosingMemory,
  batch: OpenBatch,
): SeenBatch {
  const { store, ports } = pipeline;
  const { newestTransfer } = batch;
  const before = memory.get(batch.id);
  if (before !== undefined && before.newestTransfer === newestTransfer) return before;
  const newestFoundAt = newestTransfer === null ? null : transferFoundAt(store, newestTransfer);
  const quietSince = newestFoundAt ?? batch.createdAt;
  const elapsed = before === undefined ? Math.max(0, ports.clock.now() - quietSince) : 0;
  const items = rule.seal.items === null ? 0 : batchSize(store, batch.id);
  const seen = { newestTransfer, newestFoundAt, since: ports.clock.monotonicMs() - elapsed, items };
  memory.set(batch.id, seen);
  return seen;
}

/** Closes the batches of a watch that are due. Returns when to check again; see closingOf. */
export function closeBatches(
  pipeline: Pipeline,
  watch: Watch,
  settling: number,
  memory: ClosingMemory,
  busyMs: number,
): number | null {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  if (!closesByItself(watch.rule)) return null;
  let againMs: number | null = null;
  const open = openBatchesOf(store, watch.id);
  for (const batch of open) {
    const { items, since, newestFoundAt } = see(pipeline, watch.rule, memory, batch);
    const quietForMs = ports.clock.monotonicMs() - since;
    const facts = { items, settling, now, quietForMs, newestFoundAt };
    const { itemsPerBatch } = watch.rule;
    const isFull = itemsPerBatch !== null && isNumberedFull(store, batch.id, itemsPerBatch);
    const { reason, againMs: pause } = isFull
      ? ({ reason: 'full', againMs: null } as const)
      : closingOf(watch.rule, batch, facts, busyMs);
    if (reason === null) {
      if (pause !== null) againMs = Math.min(againMs ?? pause, pause);
      continue;
    }
    store.transaction(() => sealBatch(store, batch.id, now));
    ports.log.write('info', 'batch.closed', { batch: batch.batchId, reason });
  }
  const ids = new Set(open.map(({ id }) => id));
  for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
  return againMs;
}
