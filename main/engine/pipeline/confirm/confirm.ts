/**
 * Step: confirm. Nothing counts as done before the service lists its name. Counts and shards only say when a listing is
 * worth while. The same look settles what is in doubt: it arrived, or it is proved that it did not, or it is asked again.
 */
import { drop, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { HINTED_PAUSE_FACTOR } from '../../core/limits.ts';
import { batchesAwaiting } from '../../store/queue/awaited.ts';
import { type Batch, batchByRow } from '../../store/tables/batches.ts';
import { type BatchTally, somethingOnItsWay, tallyBatch } from '../../store/queue/confirmation.ts';
import { clearWait, noteWait, waitReasonOf } from '../../store/tables/waits.ts';
import { backoffSince } from '../backoff.ts';
import { noteStatedEnd } from '../presence/batchEnd.ts';
import { type Comparing, readListing } from './readListing.ts';
import { type BatchPollStates, type BatchPollState, pollStateOf } from './pollState.ts';
import { settleListing, type Settled } from './settleListing.ts';
import { expireBatches } from '../plan/expiry.ts';
import { type BatchFigures, holdsMore, readFigures } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';

const GROWTH = 1.5;
const BUSY_PAUSE_MS = 5000;
/** A batch that others may fill is counted this often while we send: the first surplus changes our names. */
const SHARED_PAUSE_MS = 2000;
/** However many hints come, a batch is not asked about more often than this, ms. */
const HINT_REST_MS = 250;
/** While transfers run, listing may take at most this fraction of the time. */
const LIST_SHARE = 0.05;

/**
 * What the service says and what has been settled, in one comparable text: when it stays the same, the list does too. With what
 * is confirmed: another file that was sent since then must not make the text of the last look again.
 */
function signatureOf({ count, shards, indexing }: BatchFigures, tally: BatchTally): string {
  const ended = shards.filter(({ status }) => status !== 'running').length;
  const { sent, unknown, confirmed } = tally;
  return [count, shards.length, ended, indexing, sent, unknown, confirmed].join('/');
}

interface PollFacts {
  readonly batch: Batch;
  readonly figures: BatchFigures;
  readonly tally: BatchTally;
  readonly poll: BatchPollState;
}

/** More is counted than was listed, or a shard has ended. */
function hasNews({ figures, tally }: PollFacts): boolean {
  return figures.count > tally.confirmed || figures.shards.length > figures.indexing;
}

function worthListing(pipeline: Pipeline, facts: PollFacts, surplus: boolean): boolean {
  const { batch, figures, tally, poll } = facts;
  const now = pipeline.ports.clock.monotonicMs();
  if (poll.listAt !== null && now >= poll.listAt) return true;
  // A batch that is over has no figures; what is open in it is decided.
  if (batch.state === 'expired') return true;
  if (signatureOf(figures, tally) === poll.listed) return false;
  if (tally.unknown > 0) return true;
  if (surplus && batch.isExclusive) return true;
  // What is counted beyond the confirmed, or a shard that has ended, is news; while more is on its way it may wait.
  const expected = tally.confirmed + tally.sent;
  const isComplete = tally.sending === 0 && figures.count >= expected;
  if (isComplete) return true;
  return hasNews(facts) && now - poll.readAt >= poll.listCostMs / LIST_SHARE;
}

function comparingFor(pipeline: Pipeline, facts: PollFacts, surplus: boolean): Comparing {
  const { batch, figures, tally, poll } = facts;
  if (batch.hasHostInId && batch.isExclusive && !surplus)
    return { bareNames: false, doubted: batch.mode === 'bulk', confirmed: false, depth: 'samples' };
  const shared = !batch.isExclusive || surplus;
  const isNew = signatureOf(figures, tally) !== poll.compared;
  return {
    bareNames: shared || batch.mode === 'single',
    doubted: !shared && batch.mode === 'bulk',
    confirmed: shared && isNew && !somethingOnItsWay(pipeline.store, batch.id),
    // Where no other was seen, a video is too dear to fetch: equal lengths alone say nothing, so samples are compared.
    depth: shared || batch.kind === 'image' ? 'bytes' : 'samples',
  };
}

/** How long a batch rests between two looks while something of it is being sent, ms. */
function busyPauseOf({ times }: Pipeline, batch: Batch): number {
  return Math.min(batch.hasHostInId ? BUSY_PAUSE_MS : SHARED_PAUSE_MS, times.confirmMaxMs);
}

/** One look at a batch. Answers what it settled; nothing when no listing was worth while. */
async function pollBatch(
  pipeline: Pipeline,
  batch: Batch,
  poll: BatchPollState,
): Promise<Result<Settled | null>> {
  const figures = await readFigures(pipeline, batch, poll.firstSeen);
  if (!figures.ok) return figures;
  const tally = tallyBatch(pipeline.store, batch.id);
  const facts = { batch, figures: figures.value, tally, poll };
  const surplus = holdsMore(pipeline, batch, figures.value, tally);
  if (!worthListing(pipeline, facts, surplus)) {
    if (figures.value.count <= tally.confirmed) poll.quietAt = pipeline.time.now();
    // What was taken is looked for after a while, even if no figure changes.
    if (tally.sent > 0)
      poll.listAt ??= pipeline.ports.clock.monotonicMs() + pipeline.times.sentPatienceMs;
    return ok(null);
  }
  const comparing = comparingFor(pipeline, facts, surplus);
  const began = pipeline.ports.clock.monotonicMs();
  const listedAt = pipeline.time.now();
  const listing = await readListing(pipeline, batch, comparing);
  if (!listing.ok) return listing;
  poll.readAt = began;
  poll.listCostMs = pipeline.ports.clock.monotonicMs() - began;
  // What came from others while the list was read may have replaced what it showed.
  const after = batch.hasHostInId ? figures : await readFigures(pipeline, batch, poll.firstSeen);
  if (!after.ok) return after;
  const settled = await settleListing(pipeline, {
    ...facts,
    listing: listing.value,
    listedAt,
    surplus:
      surplus || holdsMore(pipeline, batch, after.value, tallyBatch(pipeline.store, batch.id)),
    comparing,
  });
  poll.quietAt = listedAt;
  const signature = signatureOf(figures.value, tally);
  // What moved may be in the same figures again a moment later.
  poll.listed = settled.again || settled.moved ? '' : signature;
  if (comparing.confirmed && settled.unchecked === 0) poll.compared = signature;
  const waits = [
    // What is overdue and cannot be decided yet must not be asked about without a pause.
    ...(settled.nextAt === null
      ? []
      : [Math.max(poll.pauseMs, settled.nextAt - pipeline.time.now())]),
    // What could not be compared is compared again after growing pauses; a list that lags behind the count is read again.
    ...(settled.unchecked === 0 ? [] : [poll.pauseMs * GROWTH]),
    ...(settled.isComplete
      ? []
      : [
          Math.max(
            tally.sending > 0 ? busyPauseOf(pipeline, batch) : poll.pauseMs * GROWTH,
            poll.listCostMs / LIST_SHARE,
          ),
        ]),
  ];
  poll.listAt = waits.length === 0 ? null : pipeline.ports.clock.monotonicMs() + Math.min(...waits);
  return ok(settled);
}

function schedule(
  pipeline: Pipeline,
  batch: Batch,
  poll: BatchPollState,
  settled: Settled | null,
): void {
  const { confirmFirstMs, confirmMaxMs } = pipeline.times;
  const now = pipeline.ports.clock.monotonicMs();
  const most = confirmMaxMs * (pipeline.hintsArrive?.() === true ? HINTED_PAUSE_FACTOR : 1);
  const progress = settled !== null && (settled.changed || settled.again);
  poll.pauseMs = progress ? confirmFirstMs : Math.min(most, poll.pauseMs * GROWTH);
  poll.busy = somethingOnItsWay(pipeline.store, batch.id);
  poll.askedAt = now;
  const pause = poll.busy ? busyPauseOf(pipeline, batch) : poll.pauseMs;
  const planned = settled?.again === true ? now + confirmFirstMs : now + pause;
  const listAt = poll.listAt ?? Number.POSITIVE_INFINITY;
  poll.nextAt = Math.min(planned, Math.max(now + confirmFirstMs, listAt));
}

/** The batch cannot be read: it is asked again after a pause that grows, and nothing of it is parked. */
async function recordReadFailure(
  pipeline: Pipeline,
  batch: Batch,
  poll: BatchPollState,
  error: SluiceError,
): Promise<void> {
  const { store, connectionId, ports, time } = pipeline;
  const now = ports.clock.monotonicMs();
  poll.failingSince ??= now;
  const pause = backoffSince(
    now - poll.failingSince,
    ports.random.fraction(),
    pipeline.times,
    error,
  );
  poll.nextAt = now + pause;
  ports.log.write('warn', 'confirm.failed', { batch: batch.batchId, code: error.code });
  pipeline.wait(error, 'ask');
  const why = waitReasonOf(error, time.now() + pause);
  await store.soon(() => noteWait(store, connectionId, `batch:${batch.batchId}`, why, time.now()));
}

async function recordReadSuccess(
  pipeline: Pipeline,
  batch: Batch,
  poll: BatchPollState,
): Promise<void> {
  const { store, connectionId } = pipeline;
  pipeline.reached('ask');
  if (poll.failingSince === null && poll.askedAt > 0) return;
  poll.failingSince = null;
  await store.soon(() => clearWait(store, connectionId, `batch:${batch.batchId}`));
}

/** Nothing else is on its way: the count is exact now, so it is asked for at once. */
function noticeIdle(pipeline: Pipeline, batchRow: number, poll: BatchPollState): void {
  if (!poll.busy || somethingOnItsWay(pipeline.store, batchRow)) return;
  poll.busy = false;
  if (poll.failingSince !== null) return;
  poll.pauseMs = pipeline.times.confirmFirstMs;
  poll.nextAt = pipeline.ports.clock.monotonicMs();
}

/** Something happened to a batch: it is asked about now, and soon again, but never in a flood. */
export function hintConfirm(pipeline: Pipeline, memory: BatchPollStates, batchId: string): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const [row, poll] of memory) {
    if (batchByRow(pipeline.store, row)?.batchId !== batchId) continue;
    poll.pauseMs = pipeline.times.confirmFirstMs;
    poll.nextAt = Math.min(poll.nextAt, Math.max(now, poll.askedAt + HINT_REST_MS));
  }
}

/** A person asks: every batch that is waited for is asked about now. */
export function confirmNow(pipeline: Pipeline, memory: BatchPollStates): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const poll of memory.values()) poll.nextAt = Math.min(poll.nextAt, now);
}

async function confirmOne(pipeline: Pipeline, batch: Batch, poll: BatchPollState): Promise<void> {
  const polled = await pollBatch(pipeline, batch, poll);
  if (pipeline.signal.aborted) return;
  if (!polled.ok) {
    await recordReadFailure(pipeline, batch, poll, polled.error);
    return;
  }
  await recordReadSuccess(pipeline, batch, poll);
  if (polled.value?.changed === true && !poll.endAsked) {
    poll.endAsked = true;
    // Files are confirmed meanwhile: it may take a while where the service offers no such thing.
    drop(noteStatedEnd(pipeline, batch));
  }
  schedule(pipeline, batch, poll, polled.value);
  if (polled.value?.changed === true) pipeline.changed('plan', 'transfer');
}

/**
 * Asks about every batch with something sent or in doubt that is due. Answers the monotonic instant of the next question,
 * or null when nothing waits.
 */
export async function confirm(pipeline: Pipeline, memory: BatchPollStates): Promise<number | null> {
  const { store, ports, connectionId } = pipeline;
  // Before its list says anything: the list of a batch that is over proves nothing.
  await expireBatches(pipeline);
  for (const row of batchesAwaiting(store, connectionId, pipeline.time.now())) {
    if (pipeline.signal.aborted || pipeline.gate.room('ask') === 0) break;
    const batch = batchByRow(store, row);
    if (batch === null) continue;
    const poll = pollStateOf(memory, pipeline, row);
    noticeIdle(pipeline, row, poll);
    if (ports.clock.monotonicMs() >= poll.nextAt) await confirmOne(pipeline, batch, poll);
  }
  const open = batchesAwaiting(store, connectionId, pipeline.time.now());
  const next = open.map((row) => pollStateOf(memory, pipeline, row).nextAt);
  return next.length === 0 ? null : next.reduce((first, at) => Math.min(first, at));
}
