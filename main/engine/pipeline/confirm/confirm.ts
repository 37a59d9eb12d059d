/**
 * Step: confirm. Nothing counts as done before the service lists its name. Counts and shards only say when a listing is
 * worth while. The same look settles what is in doubt: it arrived, or it is proved that it did not, or it is asked again.
 */
import { ok, type Result, type SluiceError } from '../../core/errors.ts';
import { HINTED_PAUSE_FACTOR } from '../../core/limits.ts';
import { batchesAwaiting, registrationsIn } from '../../store/queue/awaited.ts';
import { type Batch, batchByRow } from '../../store/tables/batches.ts';
import { type BatchTally, somethingOnItsWay, tallyBatch } from '../../store/queue/confirmation.ts';
import { clearWait, noteWait } from '../../store/tables/waits.ts';
import { backoffSince } from '../backoff.ts';
import { type Comparing, readListing } from './confirmListing.ts';
import { type ConfirmMemory, type Watched, watchedOf } from './confirmMemory.ts';
import { settleListing, type Settled } from './confirmSettle.ts';
import { expireBatches } from '../plan/expiry.ts';
import { type Figures, readFigures } from '../presence/inventory.ts';
import type { Line } from '../context.ts';

const GROWTH = 1.5;
const BUSY_PAUSE_MS = 5000;
/** A batch that others may fill is counted this often while we send: the first surplus changes our names. */
const SHARED_PAUSE_MS = 2000;
/** However many hints come, a batch is not asked about more often than this, ms. */
const HINT_REST_MS = 250;
/** While transfers run, listing may take at most this fraction of the time. */
const LIST_SHARE = 0.05;
/** What the service says, in one comparable text: when it stays the same, the list does too. */
function signatureOf({ count, shards, indexing }: Figures, tally: BatchTally): string {
  const ended = shards.filter(({ status }) => status !== 'running').length;
  return `${count}/${shards.length}/${ended}/${indexing}/${tally.sent}/${tally.unknown}`;
}

/** More than this ledger can have put there: others fill the batch, too. */
function isSurplus(line: Line, batch: Batch, figures: Figures, tally: BatchTally): boolean {
  const { sending, sent, unknown, confirmed } = tally;
  if (figures.count > sending + sent + unknown + confirmed) return true;
  return batch.mode === 'bulk' && figures.shards.length > registrationsIn(line.store, batch.id);
}

interface Situation {
  readonly batch: Batch;
  readonly figures: Figures;
  readonly tally: BatchTally;
  readonly watched: Watched;
}

/** More is counted than was listed, or a shard has ended. */
function hasNews({ figures, tally }: Situation): boolean {
  return figures.count > tally.confirmed || figures.shards.length > figures.indexing;
}

function worthListing(line: Line, situation: Situation, surplus: boolean): boolean {
  const { batch, figures, tally, watched } = situation;
  const now = line.ports.clock.monotonicMs();
  if (watched.listAt !== null && now >= watched.listAt) return true;
  // Nothing is counted any more of a batch that is over, and what is open in it is settled.
  if (batch.state === 'expired') return true;
  if (signatureOf(figures, tally) === watched.listed) return false;
  if (tally.unknown > 0) return true;
  if (surplus && batch.createdHere) return true;
  // What is counted beyond the confirmed, or a shard that has ended, is news; while more is on its way it may wait.
  const expected = tally.confirmed + tally.sent;
  const isComplete = tally.sending === 0 && figures.count >= expected;
  if (isComplete) return true;
  return hasNews(situation) && now - watched.readAt >= watched.listCostMs / LIST_SHARE;
}

function comparingFor(line: Line, situation: Situation, surplus: boolean): Comparing {
  const { batch, figures, tally, watched } = situation;
  if (batch.hostOwn && batch.createdHere && !surplus)
    return { bareNames: false, confirmed: false, depth: 'samples' };
  const shared = !batch.createdHere || surplus;
  const isNew = signatureOf(figures, tally) !== watched.compared;
  return {
    bareNames: shared || batch.mode === 'single',
    confirmed: shared && isNew && !somethingOnItsWay(line.store, batch.id),
    // Where no other was seen, a video is too dear to fetch: equal lengths alone say nothing, so samples are compared.
    depth: shared || batch.kind === 'image' ? 'bytes' : 'samples',
  };
}

/** One look at a batch. Answers what it settled; nothing when no listing was worth while. */
async function lookAtBatch(
  line: Line,
  batch: Batch,
  watched: Watched,
): Promise<Result<Settled | null>> {
  const figures = await readFigures(line, batch, watched.firstSeen);
  if (!figures.ok) return figures;
  const tally = tallyBatch(line.store, batch.id);
  const situation = { batch, figures: figures.value, tally, watched };
  const surplus = isSurplus(line, batch, figures.value, tally);
  if (!worthListing(line, situation, surplus)) {
    if (figures.value.count <= tally.confirmed) watched.quietAt = line.time.now();
    // Whatever was taken is looked for after a while, though no figure changes any more.
    if (tally.sent > 0)
      watched.listAt ??= line.ports.clock.monotonicMs() + line.times.sentPatienceMs;
    return ok(null);
  }
  const comparing = comparingFor(line, situation, surplus);
  const began = line.ports.clock.monotonicMs();
  const listedAt = line.time.now();
  const listing = await readListing(line, batch, comparing);
  if (!listing.ok) return listing;
  watched.readAt = began;
  watched.listCostMs = line.ports.clock.monotonicMs() - began;
  // What came from others while the list was read may have replaced what it showed.
  const after = batch.hostOwn ? figures : await readFigures(line, batch, watched.firstSeen);
  if (!after.ok) return after;
  const settled = await settleListing(line, {
    ...situation,
    listing: listing.value,
    listedAt,
    surplus: surplus || isSurplus(line, batch, after.value, tallyBatch(line.store, batch.id)),
    comparing,
  });
  watched.quietAt = listedAt;
  const signature = signatureOf(figures.value, tally);
  // What moved may be in the same figures again a moment later.
  watched.listed = settled.again || settled.moved ? '' : signature;
  if (comparing.confirmed && settled.unchecked === 0) watched.compared = signature;
  const waits = [
    // What is overdue and cannot be decided yet must not be asked about without a pause.
    ...(settled.nextAt === null
      ? []
      : [Math.max(watched.pauseMs, settled.nextAt - line.time.now())]),
    // What could not be compared is compared again, ever more slowly; a list that lags behind the count is read again.
    ...(settled.unchecked === 0 ? [] : [watched.pauseMs * GROWTH]),
    ...(settled.isComplete || tally.sending > 0
      ? []
      : [Math.max(watched.pauseMs * GROWTH, watched.listCostMs / LIST_SHARE)]),
  ];
  watched.listAt = waits.length === 0 ? null : line.ports.clock.monotonicMs() + Math.min(...waits);
  return ok(settled);
}

function schedule(line: Line, batch: Batch, watched: Watched, settled: Settled | null): void {
  const { confirmFirstMs, confirmMaxMs } = line.times;
  const now = line.ports.clock.monotonicMs();
  const most = confirmMaxMs * (line.hintsArrive?.() === true ? HINTED_PAUSE_FACTOR : 1);
  const progress = settled !== null && (settled.changed || settled.again);
  watched.pauseMs = progress ? confirmFirstMs : Math.min(most, watched.pauseMs * GROWTH);
  watched.busy = somethingOnItsWay(line.store, batch.id);
  watched.askedAt = now;
  const busyPause = batch.hostOwn ? BUSY_PAUSE_MS : SHARED_PAUSE_MS;
  const pause = watched.busy ? Math.min(busyPause, confirmMaxMs) : watched.pauseMs;
  const planned = settled?.again === true ? now + confirmFirstMs : now + pause;
  const listAt = watched.listAt ?? Number.POSITIVE_INFINITY;
  watched.nextAt = Math.min(planned, Math.max(now + confirmFirstMs, listAt));
}

/** The batch cannot be read: it is asked again after a pause that grows, and nothing of it is parked. */
async function notRead(
  line: Line,
  batch: Batch,
  watched: Watched,
  error: SluiceError,
): Promise<void> {
  const { store, connectionId, ports, time } = line;
  const now = ports.clock.monotonicMs();
  watched.failingSince ??= now;
  const pause = backoffSince(
    now - watched.failingSince,
    ports.random.fraction(),
    line.times,
    error,
  );
  watched.nextAt = now + pause;
  ports.log.write('warn', 'confirm.failed', { batch: batch.batchId, code: error.code });
  line.wait(error, 'ask');
  const detail = String(error.context['said'] ?? error.context['reason'] ?? '') || null;
  const why = { code: error.code, detail, nextAt: time.now() + pause };
  await store.soon(() => noteWait(store, connectionId, `batch:${batch.batchId}`, why, time.now()));
}

async function wasRead(line: Line, batch: Batch, watched: Watched): Promise<void> {
  const { store, connectionId } = line;
  line.reached('ask');
  if (watched.failingSince === null && watched.askedAt > 0) return;
  watched.failingSince = null;
  if (batch.holdCode !== null) return;
  await store.soon(() => clearWait(store, connectionId, `batch:${batch.batchId}`));
}

/** Nothing else is on its way any more: the count is exact now, so it is asked for at once. */
function noticeIdle(line: Line, batchRow: number, watched: Watched): void {
  if (!watched.busy || somethingOnItsWay(line.store, batchRow)) return;
  watched.busy = false;
  if (watched.failingSince !== null) return;
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

async function confirmOne(line: Line, batch: Batch, watched: Watched): Promise<void> {
  const looked = await lookAtBatch(line, batch, watched);
  if (line.signal.aborted) return;
  if (!looked.ok) {
    await notRead(line, batch, watched, looked.error);
    return;
  }
  await wasRead(line, batch, watched);
  schedule(line, batch, watched, looked.value);
  if (looked.value?.changed === true) line.changed('plan', 'transfer');
}

/**
 * Asks about every batch with something sent or in doubt that is due. Answers the monotonic instant of the next question,
 * or null when nothing waits.
 */
export async function confirm(line: Line, memory: ConfirmMemory): Promise<number | null> {
  const { store, ports, connectionId } = line;
  // Before its list says anything: the list of a batch that is over proves nothing.
  await expireBatches(line);
  for (const row of batchesAwaiting(store, connectionId, line.time.now())) {
    if (line.signal.aborted || line.gate.room('ask') === 0) break;
    const batch = batchByRow(store, row);
    if (batch === null) continue;
    const watched = watchedOf(memory, line, row);
    noticeIdle(line, row, watched);
    if (ports.clock.monotonicMs() >= watched.nextAt) await confirmOne(line, batch, watched);
  }
  const open = batchesAwaiting(store, connectionId, line.time.now());
  const next = open.map((row) => watchedOf(memory, line, row).nextAt);
  return next.length === 0 ? null : next.reduce((first, at) => Math.min(first, at));
}
