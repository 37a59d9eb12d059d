/**
 * Step: confirm. No file is done until the service lists its name; counts and shards only show when reading the list is worthwhile. The
 * list also settles doubtful transfers: they arrived, provably did not arrive, or are checked again later.
 */
import { drop, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { least } from '../../core/least.ts';
import { HINTED_PAUSE_FACTOR } from '../../core/limits.ts';
import { batchesAwaiting } from '../../store/queue/awaited.ts';
import { type Batch, batchByRow } from '../../store/tables/batches.ts';
import {
  type BatchTally,
  moreToSend,
  somethingOnItsWay,
  tallyBatch,
} from '../../store/queue/confirmation.ts';
import { noteOrClear } from '../waitNotes.ts';
import { backoffSince } from '../backoff.ts';
import { noteStatedEnd } from '../presence/batchEnd.ts';
import { type Comparing, type Listing, type ListingOutcome, readListing } from './readListing.ts';
import {
  type BatchPollState,
  type BatchPollStates,
  type Polled,
  pollStateOf,
} from './pollState.ts';
import { seekOtherNames } from './otherNames.ts';
import { settleListing, type Settled } from './settleListing.ts';
import { expireBatches } from '../plan/expiry.ts';
import { altersContent, trialOf, trustsNames } from '../presence/alteredContent.ts';
import { type BatchFigures, holdsMore, readFigures } from '../presence/inventory.ts';
import { createRepeats } from '../presence/repeats.ts';
import type { Pipeline } from '../context.ts';

const GROWTH = 1.5;
const BUSY_PAUSE_MS = 5000;
/**
 * How often the count of a batch that others may fill is read while we send, in ms: once it is higher than ours, our files get other names.
 */
const SHARED_PAUSE_MS = 2000;
/** Minimum interval between requests about a batch, however many hints arrive, in ms. */
const HINT_REST_MS = 250;
/** How much longer than needed a file may wait to be confirmed, as a fraction of the time that the list took to show it. Our choice. */
const PAUSE_SHARE = 0.05;
/** The largest fraction of the time that listing may take while transfers run. */
const LIST_SHARE = 0.05;

/**
 * The figures of a batch, and how much of it has been settled, as a text: while this text is the same, the list is the same, too. It includes
 * the confirmed count, so that another file sent since then cannot produce the same text.
 */
function signatureOf({ count, shards, indexing }: BatchFigures, tally: BatchTally): string {
  const ended = shards.filter(({ status }) => status !== 'running').length;
  const { sent, unknown, confirmed } = tally;
  return [count, shards.length, ended, indexing, sent, unknown, confirmed].join('/');
}

type PollFacts = Pick<ListingOutcome, 'batch' | 'figures' | 'tally' | 'poll'>;

function worthListing(pipeline: Pipeline, facts: PollFacts, surplus: boolean): boolean {
  const { batch, figures, tally, poll } = facts;
  const now = pipeline.ports.clock.monotonicMs();
  if (poll.listAt !== null && now >= poll.listAt) return true;
  // An expired batch has no figures; its open transfers are decided now.
  if (batch.state === 'expired') return true;
  if (signatureOf(figures, tally) === poll.listed) return false;
  if (tally.unknown > 0) return true;
  if (surplus && batch.isExclusive) return true;
  // There is news when the count is above the number of confirmed files, or a shard has ended. The list may wait while more is being sent,
  // or is about to be.
  const isComplete = tally.sending === 0 && figures.count >= tally.confirmed + tally.sent;
  if (isComplete && !moreToSend(pipeline.store, batch.id)) return true;
  const hasNews = figures.count > tally.confirmed || figures.shards.length > figures.indexing;
  return hasNews && now - poll.readAt >= poll.listCostMs / LIST_SHARE;
}

function comparingFor(pipeline: Pipeline, facts: PollFacts, surplus: boolean): Comparing {
  const { batch, figures, tally, poll } = facts;
  const trial = trialOf(pipeline, batch.id)?.itemId ?? null;
  const altered = altersContent(pipeline, batch);
  const isTrusted = altered && trustsNames(pipeline, batch, surplus);
  if (isTrusted || (batch.hasHostInId && batch.isExclusive && !surplus)) {
    const comparing = { bareNames: false, doubted: !isTrusted, confirmed: false, trial, altered };
    return { ...comparing, depth: 'samples' };
  }
  const shared = !batch.isExclusive || surplus;
  const isNew = signatureOf(figures, tally) !== poll.compared;
  return {
    bareNames: shared || batch.mode === 'single',
    doubted: !shared && batch.mode === 'bulk',
    confirmed: shared && isNew && !somethingOnItsWay(pipeline.store, batch.id),
    // Without signs of other writers, fetching a whole video costs too much; equal lengths prove nothing, so compare samples.
    depth: shared || batch.kind === 'image' ? 'bytes' : 'samples',
    trial,
    altered,
  };
}

/** The pause between two polls of a batch while something in it is being sent, in ms. */
function busyPauseOf({ times }: Pipeline, batch: Batch): number {
  return Math.min(batch.hasHostInId ? BUSY_PAUSE_MS : SHARED_PAUSE_MS, times.confirmMaxMs);
}

/** Reads the list. If it repeats objects, what it showed before completes it. */
async function readWhole(
  pipeline: Pipeline,
  { batch, figures: { count }, poll }: PollFacts,
  comparing: Comparing,
): Promise<Result<Listing>> {
  // While the count stays the same, nothing was deleted that an earlier reading showed.
  const repeats = createRepeats(count === poll.shown.count ? poll.shown.objects : []);
  const listing = await readListing(pipeline, batch, comparing, repeats);
  if (!listing.ok) return listing;
  // A proof of absence takes two complete listings, so each of them begins anew.
  poll.shown = { count, objects: listing.value.names >= count ? [] : (repeats.union() ?? []) };
  return listing;
}

/** Polls a batch once. Returns what was settled, or null when no listing was worthwhile. */
async function pollBatch(pipeline: Pipeline, polled: Polled): Promise<Result<Settled | null>> {
  const { batch, poll } = polled;
  const figures = await readFigures(pipeline, batch, poll.firstSeen);
  if (!figures.ok) return figures;
  const tally = tallyBatch(pipeline.store, batch.id);
  const facts = { batch, figures: figures.value, tally, poll };
  const surplus = holdsMore(pipeline, batch, figures.value, tally);
  if (!worthListing(pipeline, facts, surplus)) {
    if (figures.value.count <= tally.confirmed) poll.quietAt = pipeline.time.now();
    // After a while, read the list for files that the service accepted, even if no figure changes.
    if (tally.sent > 0)
      poll.listAt ??= pipeline.ports.clock.monotonicMs() + pipeline.times.sentPatienceMs;
    return ok(null);
  }
  const comparing = comparingFor(pipeline, facts, surplus);
  const began = pipeline.ports.clock.monotonicMs();
  const listedAt = pipeline.time.now();
  const sought = await seekOtherNames(pipeline, polled);
  if (!sought.ok) return sought;
  const listing = await readWhole(pipeline, facts, comparing);
  if (!listing.ok) return listing;
  poll.foreign = listing.value.foreign;
  poll.readAt = began;
  // Each file is compared once, however often the list is read.
  poll.listCostMs = pipeline.ports.clock.monotonicMs() - began - listing.value.comparedMs;
  // Files that others sent while the list was read may have replaced files that it showed.
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
  // A transfer that moved may soon show the same figures again.
  poll.listed = settled.again || settled.moved ? '' : signature;
  if (comparing.confirmed && settled.unchecked === 0) poll.compared = signature;
  const pause = poll.pauseMs * GROWTH;
  const listPause = tally.sending > 0 ? busyPauseOf(pipeline, batch) : pause;
  const wait = least([
    // Overdue but undecided transfers must not be polled without a pause.
    settled.nextAt === null ? null : Math.max(poll.pauseMs, settled.nextAt - pipeline.time.now()),
    // Files that could not be compared are compared again after growing pauses, and a list that lags behind the count is read again.
    settled.unchecked > 0 ? pause : null,
    settled.isComplete ? null : Math.max(listPause, poll.listCostMs / LIST_SHARE),
  ]);
  poll.listAt = wait === null ? null : pipeline.ports.clock.monotonicMs() + wait;
  return ok(settled);
}

function schedule(pipeline: Pipeline, { batch, poll }: Polled, settled: Settled | null): void {
  const { confirmFirstMs, confirmMaxMs } = pipeline.times;
  const now = pipeline.ports.clock.monotonicMs();
  const most = confirmMaxMs * (pipeline.hintsArrive?.() === true ? HINTED_PAUSE_FACTOR : 1);
  const progress = settled !== null && (settled.changed || settled.again);
  // A list that has shown one file after another for a minute need not be read ten times a second.
  const first = Math.max(confirmFirstMs, Math.min(most, (now - poll.idleAt) * PAUSE_SHARE));
  poll.pauseMs = progress ? first : Math.min(most, poll.pauseMs * GROWTH);
  poll.busy = somethingOnItsWay(pipeline.store, batch.id);
  poll.askedAt = now;
  const pause = poll.busy ? busyPauseOf(pipeline, batch) : poll.pauseMs;
  const planned = settled?.again === true ? now + confirmFirstMs : now + pause;
  const listAt = poll.listAt ?? Number.POSITIVE_INFINITY;
  poll.nextAt = Math.min(planned, Math.max(now + first, listAt));
}

/** The batch cannot be read: schedules another try after a growing pause. Parks nothing. */
async function recordReadFailure(
  pipeline: Pipeline,
  { batch, poll }: Polled,
  error: SluiceError,
): Promise<void> {
  const { store, ports } = pipeline;
  const now = ports.clock.monotonicMs();
  poll.failingSince ??= now;
  const pause = backoffSince(pipeline, now - poll.failingSince, error);
  poll.nextAt = now + pause;
  ports.log.write('warn', 'confirm.failed', { batch: batch.batchId, code: error.code });
  pipeline.wait(error, 'ask');
  await store.soon(() => noteOrClear(pipeline, `batch:${batch.batchId}`, error, pause));
}

/** `unread`: why files that the list shows could not be read to compare them. */
async function recordReadSuccess(
  pipeline: Pipeline,
  { batch, poll }: Polled,
  unread: SluiceError | null,
): Promise<void> {
  pipeline.reached('ask');
  const hadFailed = poll.failingSince !== null || poll.unread !== null || poll.askedAt === 0;
  poll.failingSince = null;
  poll.unread = unread;
  if (unread === null && !hadFailed) return;
  await pipeline.store.soon(() => noteOrClear(pipeline, `batch:${batch.batchId}`, unread));
}

/** Once nothing is in transit the count is exact, so poll at once. */
function noticeIdle(pipeline: Pipeline, batchRow: number, poll: BatchPollState): void {
  if (!poll.busy || somethingOnItsWay(pipeline.store, batchRow)) return;
  poll.busy = false;
  poll.idleAt = pipeline.ports.clock.monotonicMs();
  if (poll.failingSince !== null) return;
  poll.pauseMs = pipeline.times.confirmFirstMs;
  poll.nextAt = poll.idleAt;
}

/** Something happened to a batch: poll it now and again soon, but never more often than HINT_REST_MS. */
export function hintConfirm(pipeline: Pipeline, memory: BatchPollStates, batchId: string): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const [row, poll] of memory) {
    if (batchByRow(pipeline.store, row)?.batchId !== batchId) continue;
    poll.pauseMs = pipeline.times.confirmFirstMs;
    poll.nextAt = Math.min(poll.nextAt, Math.max(now, poll.askedAt + HINT_REST_MS));
  }
}

/** A person asked: poll every awaited batch now. */
export function confirmNow(pipeline: Pipeline, memory: BatchPollStates): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const poll of memory.values()) poll.nextAt = Math.min(poll.nextAt, now);
}

async function confirmOne(pipeline: Pipeline, polled: Polled): Promise<void> {
  const { batch, poll } = polled;
  const read = await pollBatch(pipeline, polled);
  if (!read.ok && pipeline.signal.aborted) return;
  if (!read.ok) return recordReadFailure(pipeline, polled, read.error);
  // Also at the end of a command: what it settled last must not be shown as waiting.
  await recordReadSuccess(pipeline, polled, read.value ? read.value.unread : poll.unread);
  if (pipeline.signal.aborted) return;
  const isChanged = read.value?.changed === true;
  if (isChanged && !poll.endAsked) {
    poll.endAsked = true;
    // Not awaited, so that confirming continues: this may take a while if the service does not state the end of a batch.
    drop(noteStatedEnd(pipeline, batch));
  }
  schedule(pipeline, polled, read.value);
  if (isChanged) pipeline.changed('plan', 'transfer');
}

/**
 * Polls every due batch that has sent or doubtful files. Returns when the next one is due, in monotonic ms; null when no batch is awaited.
 */
export async function confirm(pipeline: Pipeline, memory: BatchPollStates): Promise<number | null> {
  const { store, ports, connectionId } = pipeline;
  // Expire batches first: the list of an expired batch proves nothing.
  await expireBatches(pipeline);
  for (const row of batchesAwaiting(store, connectionId, pipeline.time.now())) {
    if (pipeline.signal.aborted || pipeline.gate.room('ask') === 0) break;
    const batch = batchByRow(store, row);
    if (batch === null) continue;
    const poll = pollStateOf(memory, pipeline, row);
    noticeIdle(pipeline, row, poll);
    if (ports.clock.monotonicMs() >= poll.nextAt) await confirmOne(pipeline, { batch, poll });
  }
  const open = batchesAwaiting(store, connectionId, pipeline.time.now());
  return least(open.map((row) => pollStateOf(memory, pipeline, row).nextAt));
}
