/**
 * Step: confirm. Nothing counts as done before the service shows it. The count is a shortcut only in a batch that this
 * ledger made, with nothing else on its way, and only when exactly equal; otherwise names are compared.
 */
import type { Result } from '../../../preload/errorCodes.ts';
import { ok, sluiceError } from '../errors.ts';
import { nameKey } from '../files/safeNames.ts';
import { HINTED_PAUSE_FACTOR } from '../limits.ts';
import { type Batch, batchByRow } from '../store/batches.ts';
import {
  awaitedTransfers,
  type BatchTally,
  batchesToConfirm,
  closeTransfers,
  somethingOnItsWay,
  tallyBatch,
} from '../store/confirmation.ts';
import { confirmSent, moveItem } from '../store/transitions.ts';
import { decideConfirmation, type Look, type Verdict } from './confirmDecision.ts';
import { reasonOf } from './judge.ts';
import type { Line } from './line.ts';

/** What is remembered of a batch between two looks; lost in a restart, which only asks again. */
export interface Watched {
  nextAt: number;
  /** Monotonic instant of the last look. */
  askedAt: number;
  pauseMs: number;
  /** Something was on its way at the last look. */
  busy: boolean;
  /** What the last look showed: no second look at the list before something changed. */
  lastSeen: string;
  /** Items that were missing at the last look, and since when (monotonic): what stays missing is rejected. */
  missing: ReadonlyMap<number, number>;
  /** What one listing costs, ms: a long list is asked for less often while more is on its way. */
  listCostMs: number;
}

export type ConfirmMemory = Map<number, Watched>;

const GROWTH = 1.5;
/** A member that its ended shard does not show may still be on its way into the list for this long. */
const REJECT_AFTER_MS = 1_500;
const BUSY_PAUSE_MS = 5000;
/** However many hints come, a batch is not asked about more often than this, ms. */
const HINT_REST_MS = 250;
/** While transfers run, listing may take at most this fraction of the time. */
const LIST_SHARE = 0.05;

function watchedOf(memory: ConfirmMemory, line: Line, batchRow: number): Watched {
  let watched = memory.get(batchRow);
  if (watched === undefined) {
    const pauseMs = line.times.confirmFirstMs;
    watched = {
      nextAt: 0,
      askedAt: 0,
      pauseMs,
      busy: true,
      lastSeen: '',
      missing: new Map(),
      listCostMs: 0,
    };
    memory.set(batchRow, watched);
  }
  return watched;
}

async function lookAt(line: Line, batch: Batch): Promise<Result<Look>> {
  const shards = await line.client.batchShards(batch.batchId, line.signal);
  if (!shards.ok) return shards;
  const files = await line.client.batchFiles(batch.batchId, null, line.signal);
  if (!files.ok) return files;
  const now = line.ports.clock.now();
  return ok({
    files: new Map(files.value.map((file) => [nameKey(file.fileName), file])),
    shards: shards.value,
    running: shards.value.filter(
      (shard) => shard.status === 'running' && now - shard.eventAt < line.times.orphanShardMs,
    ).length,
  });
}

/** Writes a verdict; what is missing for the first time is only remembered. */
function apply(line: Line, batch: Batch, verdict: Verdict, watched: Watched): void {
  const { store, ports } = line;
  const now = ports.clock.now();
  for (const id of verdict.confirmed) moveItem(store, id, 'confirmed', now);
  const at = ports.clock.monotonicMs();
  const missing = new Map<number, number>();
  for (const { itemId, said } of verdict.rejected) {
    const since = watched.missing.get(itemId);
    if (since === undefined || at - since < REJECT_AFTER_MS) {
      missing.set(itemId, since ?? at);
      continue;
    }
    const reason = reasonOf(sluiceError('shard.rejected', { said }));
    moveItem(store, itemId, 'parked', now, reason);
  }
  watched.missing = missing;
  closeTransfers(store, batch.id, now);
}

/** True when the list of names must be read to learn more than the count says. */
function worthListing(batch: Batch, tally: BatchTally, count: number, watched: Watched): boolean {
  if (watched.missing.size > 0) return true;
  const seen = `${count}:${tally.sent}:${tally.confirmed}`;
  if (batch.mode === 'single' && batch.createdHere && count < tally.confirmed + tally.sent) {
    return seen !== watched.lastSeen;
  }
  // The end of a shard may change what is missing without changing the count.
  return true;
}

async function confirmBatch(line: Line, batch: Batch, watched: Watched): Promise<Result<boolean>> {
  const { store, ports, client } = line;
  const tally = tallyBatch(store, batch.id);
  const count = await client.batchCount(batch.batchId, null, line.signal);
  if (!count.ok) return count;
  const idle = tally.sending === 0 && tally.unknown === 0;
  const expected = tally.confirmed + tally.sent;
  if (batch.createdHere && idle && count.value === expected) {
    const changed = await store.soon(() => {
      // What was sent while the count was on its way is not in it.
      const again = tallyBatch(store, batch.id);
      if (again.sending > 0 || again.unknown > 0 || again.sent !== tally.sent) return 0;
      return confirmSent(store, batch.id, ports.clock.now());
    });
    return ok(changed > 0);
  }
  if (!worthListing(batch, tally, count.value, watched)) return ok(false);
  watched.lastSeen = `${count.value}:${tally.sent}:${tally.confirmed}`;
  const began = ports.clock.monotonicMs();
  const look = await lookAt(line, batch);
  if (!look.ok) return look;
  watched.listCostMs = ports.clock.monotonicMs() - began;
  return ok(
    await store.soon(() => {
      const verdict = decideConfirmation(awaitedTransfers(store, batch.id), look.value);
      apply(line, batch, verdict, watched);
      return verdict.confirmed.length > 0;
    }),
  );
}

function busy(line: Line, batchRow: number): boolean {
  return somethingOnItsWay(line.store, batchRow);
}

function schedule(line: Line, batch: Batch, watched: Watched, progress: boolean): void {
  const { confirmFirstMs, confirmMaxMs } = line.times;
  const most = confirmMaxMs * (line.hintsArrive?.() === true ? HINTED_PAUSE_FACTOR : 1);
  watched.pauseMs = progress ? confirmFirstMs : Math.min(most, watched.pauseMs * GROWTH);
  watched.busy = busy(line, batch.id);
  const pause = watched.busy
    ? Math.max(Math.min(BUSY_PAUSE_MS, confirmMaxMs), watched.listCostMs / LIST_SHARE)
    : watched.pauseMs;
  watched.askedAt = line.ports.clock.monotonicMs();
  watched.nextAt = watched.askedAt + pause;
}

/** Nothing else is on its way any more: the moment when the count says most, so it is asked at once. */
function noticeIdle(line: Line, batchRow: number, watched: Watched): void {
  if (!watched.busy || busy(line, batchRow)) return;
  watched.busy = false;
  watched.pauseMs = line.times.confirmFirstMs;
  watched.nextAt = line.ports.clock.monotonicMs();
}

/** Something happened to a batch: it is asked about now, and soon again, but never in a flood. */
export function hintConfirm(line: Line, memory: ConfirmMemory, batchId: string): void {
  const now = line.ports.clock.monotonicMs();
  for (const [row, watched] of memory) {
    if (batchByRow(line.store, row)?.batchId !== batchId) continue;
    watched.pauseMs = line.times.confirmFirstMs;
    watched.nextAt = Math.min(watched.nextAt, Math.max(now, watched.askedAt + HINT_REST_MS));
  }
}

/**
 * Asks about every batch with sent items that is due. Answers the monotonic instant of the next question, or null when
 * nothing waits for confirmation.
 */
export async function confirm(line: Line, memory: ConfirmMemory): Promise<number | null> {
  const { store, ports } = line;
  let next: number | null = null;
  for (const row of batchesToConfirm(store, line.connectionId)) {
    if (line.signal.aborted) return null;
    const batch = batchByRow(store, row);
    if (batch === null) continue;
    const watched = watchedOf(memory, line, row);
    noticeIdle(line, row, watched);
    if (ports.clock.monotonicMs() >= watched.nextAt) {
      const progress = await confirmBatch(line, batch, watched);
      if (!progress.ok) {
        ports.log.write('warn', 'confirm.failed', {
          batch: batch.batchId,
          code: progress.error.code,
        });
        if (progress.error.next === 'wait') line.wait(progress.error);
      }
      schedule(line, batch, watched, progress.ok && progress.value);
      if (progress.ok && progress.value) line.changed('process', 'plan');
    }
    if (batchesToConfirm(store, line.connectionId).includes(row)) {
      next = Math.min(next ?? watched.nextAt, watched.nextAt);
    }
  }
  return next;
}
