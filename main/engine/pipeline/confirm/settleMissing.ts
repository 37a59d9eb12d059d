/** Handles files that a listing does not show: they are checked again later, sent again, marked as doubtful, or parked. */
import { assertNever, sluiceError } from '../../core/errors.ts';
import { least } from '../../core/least.ts';
import { REFUSALS_IN_A_ROW } from '../../core/limits.ts';
import {
  type AwaitedTransfer,
  awaitedIn,
  countVanished,
  type ListedItem,
  unassign,
} from '../../store/queue/awaited.ts';
import { mayGo } from '../../store/queue/dueTransfers.ts';
import { noteAbsence, noteLost } from '../../store/queue/lost.ts';
import {
  askLater,
  dropTransfer,
  forgetAddress,
  markUnknown,
  requeueTransfer,
} from '../../store/tables/transfers.ts';
import { move, moveItem, moveItemsOf } from '../../store/transitions.ts';
import { itemsOfTransfer } from '../../store/tables/items.ts';
import { trialOf } from '../presence/alteredContent.ts';
import { reasonOf } from '../identify/judge.ts';
import type { Pipeline } from '../context.ts';
import { decideMissing, type ListingFacts, type MissingDecision } from './missingDecision.ts';
import { createSeekDates } from './otherNames.ts';
import type { ListingOutcome } from './readListing.ts';

/** A file that was accepted but not listed this many times needs a person. Our choice. */
const VANISHED = REFUSALS_IN_A_ROW;
/** The same if no file of the batch was ever listed: the service may just be slow, so its files are sent again at most once. Our choice. */
const VANISHED_UNMEASURED = 2;

function park(
  pipeline: Pipeline,
  itemId: number,
  code: 'shard.rejected' | 'upload.unproven',
  said: string | null,
): void {
  const { store, ports } = pipeline;
  const reason = reasonOf(sluiceError(code, said === null ? {} : { said }));
  moveItem(store, itemId, 'parked', ports.clock.now(), reason);
}

/** Sends a transfer again that is proved absent: under the same names, or under new ones if others write to the batch. */
function sendAgain(
  pipeline: Pipeline,
  { batch, listedAt }: ListingOutcome,
  transfer: AwaitedTransfer,
): void {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  const wasAccepted = transfer.sentAt !== null;
  const missing = transfer.missing.map(({ itemId }) => itemId);
  // If some members arrived, the transfer keeps the time at which it was sent.
  if (transfer.confirmed === 0) noteAbsence(store, transfer.id, listedAt);
  noteLost(store, missing, { lastByteAt: transfer.lastByteAt, absentAt: listedAt });
  askLater(store, transfer.id, 0);
  if (wasAccepted) countVanished(store, missing);
  const most = batch.lagMs === null ? VANISHED_UNMEASURED : VANISHED;
  const lost = transfer.missing.filter(({ vanished }) => wasAccepted && vanished + 1 >= most);
  for (const { itemId } of lost) park(pipeline, itemId, 'upload.unproven', 'taken and not listed');
  const isWhole =
    lost.length === 0 && missing.length === itemsOfTransfer(store, transfer.id).length;
  // A trial shows something only in this batch, even if it is closed; no other file can have its name.
  const isTrial = missing.includes(trialOf(pipeline, batch.id)?.itemId ?? 0);
  // An address that the transfer got after it was lost never received the lost body, so it may be kept.
  if (isWhole && (batch.isExclusive || isTrial))
    return requeueTransfer(store, transfer, transfer.wasLost, now);
  dropTransfer(store, transfer.id, now, transfer.confirmed > 0 ? 'confirmed' : 'dropped');
  if (batch.isExclusive) return;
  for (const { itemId } of transfer.missing) unassign(store, itemId);
}

/** Carries out a decision. Returns when to check again, in engine time, or null. */
function carryOut(
  pipeline: Pipeline,
  outcome: ListingOutcome,
  transfer: AwaitedTransfer,
  decision: MissingDecision,
): number | null {
  const { store, ports, time } = pipeline;
  const now = ports.clock.now();
  const { batch } = outcome;
  switch (decision.kind) {
    case 'ask':
      return decision.at;
    case 'repeat':
      askLater(store, transfer.id, time.now());
      requeueTransfer(store, transfer, true, now);
      return null;
    case 'absent':
      sendAgain(pipeline, outcome, transfer);
      return null;
    case 'doubt':
      ports.log.write('warn', 'transfer.unlisted', { transfer: transfer.id, batch: batch.batchId });
      markUnknown(store, transfer.id, { lastByteAt: transfer.lastByteAt, askAt: 0 }, now);
      moveItemsOf(store, [transfer.id], ['sent'], 'unknown', now);
      return time.now();
    case 'rejected':
      for (const { itemId, said } of decision.items) park(pipeline, itemId, 'shard.rejected', said);
      return decision.at;
    default:
      return assertNever(decision);
  }
}

/** The batch has expired on the service: the arrival of files that were not listed before can never be proved. */
function giveUpExpired(pipeline: Pipeline, awaited: readonly AwaitedTransfer[]): void {
  for (const transfer of awaited) {
    for (const { itemId } of transfer.missing)
      park(pipeline, itemId, 'upload.unproven', 'the batch expired at the service');
    const to = transfer.confirmed > 0 ? 'confirmed' : 'parked';
    move(pipeline.store, 'transfers', transfer.id, to, pipeline.ports.clock.now());
  }
}

/** Parks files that are listed, but that can never be read to see whether they are ours. */
export function parkUnprovable(pipeline: Pipeline, items: readonly ListedItem[]): void {
  const { store, ports } = pipeline;
  for (const { itemId } of items)
    park(pipeline, itemId, 'upload.unproven', 'listed, but it cannot be read there');
  for (const id of new Set(items.flatMap(({ transferId }) => transferId ?? []))) {
    // The same body would be sent again with those files.
    forgetAddress(store, id);
    const states = new Set(itemsOfTransfer(store, id).map(({ state }) => state));
    // The members of a doubtful archive that are not listed are still looked for.
    if (states.has('unknown') || states.has('sent')) continue;
    const to = states.has('confirmed') ? 'confirmed' : 'parked';
    move(store, 'transfers', id, to, ports.clock.now());
  }
}

/**
 * Decides about every transfer that the listing does not show, and carries out the decisions in the caller's transaction. `nextAt`: when to
 * check again, in engine time. `moved`: something changed state.
 */
export function settleMissing(
  pipeline: Pipeline,
  outcome: ListingOutcome,
  isComplete: boolean,
): { readonly nextAt: number | null; readonly moved: boolean } {
  const { batch, listing, figures, poll, listedAt } = outcome;
  const isExpired = batch.state === 'expired';
  if (!isComplete && !isExpired) return { nextAt: null, moved: false };
  const listed = new Set(listing.unchecked.map(({ itemId }) => itemId));
  const shownInPart = new Set(listing.unchecked.map(({ transferId }) => transferId));
  // A transfer that became doubtful while the list was read was not compared, although the list may have shown it: the next listing decides
  // about it.
  const all = awaitedIn(pipeline.store, batch.id, pipeline.time.service());
  const shownUnsent = all.filter(({ id }) => listing.unsent.has(id));
  const awaited = all
    .filter(({ id }) => !listing.unsent.has(id))
    .map((transfer) => ({
      ...transfer,
      missing: transfer.missing.filter(({ itemId }) => !listed.has(itemId)),
    }))
    .filter(({ missing, lastByteAt }) => missing.length > 0 && lastByteAt <= listedAt);
  if (isExpired) {
    giveUpExpired(pipeline, awaited);
    return { nextAt: null, moved: awaited.length > 0 };
  }
  // Our own file, damaged in transit, is replaced by the same body.
  const replaced = listing.replaced.filter(({ proof }) => proof !== 'verify');
  const facts: ListingFacts = {
    ...figures,
    ...listing,
    listedAt,
    watchedSince: poll.since,
    now: pipeline.time.now(),
    lagMs: batch.lagMs,
    shared: !batch.isExclusive || outcome.surplus,
    replacing: new Set(replaced.map(({ transferId }) => transferId)),
    absentBefore: poll.absent,
    awaited,
    times: pipeline.times,
  };
  // A transfer of a paused batch that is absent now may be listed by the time the batch continues, so its absence is decided then. A shard
  // whose members are listed but could not be compared is not absent yet.
  const mayBeSent = mayGo(pipeline.store, batch.id, facts.now);
  const later = { kind: 'ask', at: facts.now + pipeline.times.sentPatienceMs } as const;
  const seekDate = createSeekDates(pipeline, outcome);
  let moved = false;
  const dates = awaited.map((transfer) => {
    const decided = decideMissing(transfer, facts);
    const mustWait = !mayBeSent || shownInPart.has(transfer.id);
    const seekAt = seekDate(transfer);
    if (seekAt !== null && decided.kind === 'ask') return Math.min(seekAt, decided.at);
    if (seekAt !== null && decided.kind === 'absent') return seekAt;
    const decision = decided.kind === 'absent' && mustWait ? later : decided;
    moved ||= decision.kind !== 'ask';
    return carryOut(pipeline, outcome, transfer, decision);
  });
  poll.absent = new Set(awaited.map(({ id }) => id));
  if (shownUnsent.length > 0) dates.push(facts.now);
  return { nextAt: least(dates), moved };
}
