/** Writes into the ledger what one complete listing of a batch proves. */
import type { ErrorCode, SluiceError } from '../../core/errors.ts';
import { type ListedItem, noteProof } from '../../store/queue/awaited.ts';
import { noteLag, startExpiry } from '../../store/tables/batches.ts';
import { closeTransfers, mayBeUnlisted } from '../../store/queue/confirmation.ts';
import { doubtAgain, lostIn, renewAbsence } from '../../store/queue/lost.ts';
import { markSent, noteLastByte, transferById } from '../../store/tables/transfers.ts';
import { confirmItems } from '../../store/transitions.ts';
import { IdSet } from '../../core/idSet.ts';
import { least } from '../../core/least.ts';
import { ODD_BATCH_MS } from '../../core/limits.ts';
import { endTrial, noteTrial } from '../presence/alteredContent.ts';
import { isRefusal } from '../presence/sameContent.ts';
import { shareBatch } from '../presence/shareBatch.ts';
import { slowestOf } from './listingLag.ts';
import type { Unchecked } from './found.ts';
import type { ConfirmedGroup, ListingOutcome } from './readListing.ts';
import { judgeReplaced, resendReplaced, sendTrial } from './replaced.ts';
import { parkUnprovable, settleMissing } from './settleMissing.ts';
import { judgeUncompared, withoutEmpty } from './uncompared.ts';
import type { Pipeline } from '../context.ts';

/** What a listing led to. */
export interface Settled {
  /** Something was confirmed, queued again or parked. */
  readonly changed: boolean;
  /** An unlisted transfer changed state: it is repeated, sent again, or doubtful. */
  readonly moved: boolean;
  /** The batch must be listed again at once: others write to it, so our files must be compared first. */
  readonly again: boolean;
  /** Number of listed items that could not be compared yet. */
  readonly unchecked: number;
  /** Why one of them could not be read, if that may pass. */
  readonly unread: SluiceError | null;
  /** The list showed everything that the service is known to have; otherwise it is read again soon. */
  readonly isComplete: boolean;
  /** When another listing can prove more, in engine time; null for when the figures change. */
  readonly nextAt: number | null;
}

/** Items confirmed in one transaction: SQLite keeps much of what a transaction changes in memory. */
const ITEMS_AT_ONCE = 2000;
const UNREAD = { unchecked: 0, unread: null, isComplete: true, nextAt: null } as const;

/** The codes that network.intercepted is shown and remembered as. */
const ANSWERED: readonly (ErrorCode | null)[] = [
  'network.intercepted',
  'service.busy',
  'service.failed',
  'service.unexpectedAnswer',
];

/**
 * Marks doubtful transfers as sent if the list shows any of their items. Returns true if one of them had ended with an answer that seemed
 * not to be the service's: the answer was the service's after all, or what is in between lets bodies through.
 */
function noteArrivals(
  pipeline: Pipeline,
  outcome: ListingOutcome,
  trusted: readonly ListedItem[],
): boolean {
  const { store, ports, time, times } = pipeline;
  let wasAnswered = false;
  const shown = [...outcome.listing.confirmed.map(({ like }) => like), ...trusted].flatMap((item) =>
    item.state === 'unknown' && item.transferId !== null ? [item.transferId] : [],
  );
  for (const id of new Set(shown)) {
    const transfer = transferById(store, id);
    if (transfer?.state !== 'unknown') continue;
    wasAnswered ||= ANSWERED.includes(transfer.lastCode);
    pipeline.storage.answersOddly ||= transfer.lastCode === 'service.unexpectedAnswer';
    const at = transfer.lastByteAt ?? outcome.listedAt;
    markSent(store, [{ id, hashes: [], proof: transfer.proof }], at, ports.clock.now());
    // Members that are not listed yet get the usual time from now on.
    noteLastByte(store, id, outcome.listedAt);
    startExpiry(store, outcome.batch.id, time.service(), times.retentionMs);
  }
  return wasAnswered;
}

interface Settling {
  readonly outcome: ListingOutcome;
  /** Items whose names list other content, and which wait for a trial. */
  readonly suspect: readonly ListedItem[];
  readonly trusted: readonly ListedItem[];
  readonly unprovable: readonly ListedItem[];
  /** Items that earlier listings showed, but that could not be compared then. */
  readonly seenBefore: ReadonlySet<number>;
  /** A doubtful transfer arrived although its answer seemed not to be the service's. */
  readonly goesThrough: boolean;
}

/** Writes what must be in the ledger before an item is confirmed. `isShared`: marks the batch as filled by others. */
function beginSettling(
  pipeline: Pipeline,
  before: ListingOutcome,
  isShared: boolean,
  suspect: readonly ListedItem[],
): Settling {
  const shared = isShared ? { ...before, batch: shareBatch(pipeline, before.batch) } : before;
  if (suspect.length > 0) noteTrial(pipeline, before.batch, { itemId: null });
  const seenBefore = new Set(shared.poll.unchecked.keys());
  const waiting = new Set(suspect.map(({ itemId }) => itemId));
  const judged = judgeUncompared(pipeline, shared, waiting);
  const goesThrough = noteArrivals(pipeline, judged.outcome, judged.trusted);
  return { ...judged, suspect, seenBefore, goesThrough };
}

/** Confirms listed items. Returns how many were confirmed. */
function confirmGroups(
  { store, ports }: Pipeline,
  { outcome: { batch, poll, listedAt }, seenBefore }: Settling,
  groups: readonly ConfirmedGroup[],
): number {
  const all = groups.flatMap(({ itemIds }) => [...itemIds.ids()]);
  const count = confirmItems(store, all, ports.clock.now());
  const news: ListedItem[] = [];
  for (const { like, itemIds, proof } of groups) {
    const ids = [...itemIds.ids()];
    // Items that were listed before say nothing about the lag.
    if (ids.some((id) => !seenBefore.has(id))) news.push(like);
    for (const id of ids) {
      if (proof !== null) noteProof(store, id, proof);
      poll.unchecked.delete(id);
    }
  }
  const lag = slowestOf(news, poll, listedAt);
  if (lag > 0) noteLag(store, batch.id, lag);
  return count;
}

/** Settles the transfers that the listing does not show, after everything that it shows. */
function endSettling(
  pipeline: Pipeline,
  { outcome, suspect, unprovable }: Settling,
  confirmed: number,
): Settled {
  const { store, ports } = pipeline;
  const { batch, figures, listing } = outcome;
  // Must run before settleMissing, which overwrites the record of what earlier listings did not show.
  const resent = [
    resendReplaced(pipeline, outcome, listing.replaced),
    sendTrial(pipeline, outcome, suspect),
  ];
  // A list shorter than the count is incomplete. A list that has lost everything may be wrong for a while, or its batch may have expired.
  // Files that were sent too long ago for either explanation are absent.
  const isEmptied =
    listing.names === 0 &&
    outcome.tally.confirmed > 0 &&
    mayBeUnlisted(store, batch.id, pipeline.time.now() - ODD_BATCH_MS, true);
  const isComplete = listing.names >= figures.count && !isEmptied;
  // A lost transfer that is listed late is compared by the next listing, instead of being sent again.
  const late = lostIn(store, batch.id).filter((id) => listing.unsent.has(id));
  for (const id of late) doubtAgain(store, id, ports.clock.now());
  // Not in a batch that others fill: its list may show a lost file under the name that it had before.
  if (isComplete && batch.isExclusive) renewAbsence(store, listing.lost, outcome.listedAt);
  parkUnprovable(pipeline, unprovable);
  const missing = settleMissing(pipeline, outcome, isComplete);
  const unseen = suspect.flatMap(({ transferId }) => (transferId === null ? [] : [transferId]));
  if (isComplete) outcome.poll.absent = new Set([...outcome.poll.absent, ...unseen]);
  const nextAt = least([missing, ...resent].map((one) => one.nextAt));
  const moved = missing.moved || resent.some(({ count }) => count > 0) || late.length > 0;
  closeTransfers(store, batch.id, ports.clock.now());
  const changed = moved || confirmed > 0 || unprovable.length > 0;
  const unchecked = listing.unchecked.length;
  // A name that may prove the file soon decides if the storage refuses to let it be read.
  const mayPass = (item: Unchecked): boolean =>
    item.error !== null && !(isRefusal(item.error) && (item.isUnique || batch.isExclusive));
  const unread = listing.unchecked.find(mayPass)?.error ?? null;
  return { changed, moved, again: false, unchecked, unread, isComplete, nextAt };
}

/** The groups in parts of about ITEMS_AT_ONCE items. */
function partsOf(groups: readonly ConfirmedGroup[]): ConfirmedGroup[][] {
  const parts: ConfirmedGroup[][] = [];
  let items = ITEMS_AT_ONCE;
  for (const group of groups) {
    if (items >= ITEMS_AT_ONCE) {
      parts.push([]);
      items = 0;
    }
    parts.at(-1)?.push(group);
    items += group.itemIds.size();
  }
  return parts;
}

/** Writes what a listing proves, in several transactions. After a crash between two of them, the next listing proves the rest again. */
export async function settleListing(pipeline: Pipeline, read: ListingOutcome): Promise<Settled> {
  const { store } = pipeline;
  const { batch } = read;
  const {
    verdict,
    suspect,
    outcome: before,
    ...judged
  } = judgeReplaced(pipeline, withoutEmpty(pipeline, read));
  if (verdict !== null) {
    await store.soon(() => endTrial(pipeline, batch, verdict));
    return { changed: true, moved: true, again: true, ...UNREAD };
  }
  const { listing } = before;
  const isShared = batch.isExclusive && judged.isShared;
  // The items were not compared in the way that a batch with other writers requires.
  if (isShared && !before.comparing.bareNames) {
    await store.soon(() => shareBatch(pipeline, batch));
    return { changed: true, moved: true, again: true, ...UNREAD };
  }
  const settling = await store.soon(() => beginSettling(pipeline, before, isShared, suspect));
  // The list shows that bodies arrive, so sending need not probe with one body at a time.
  if (settling.goesThrough) pipeline.reached('send');
  const byName = settling.trusted.map((like) => {
    return { like, itemIds: new IdSet([like.itemId]), proof: null };
  });
  const parts = partsOf([...byName, ...listing.confirmed]);
  const last = parts.pop() ?? [];
  let confirmed = 0;
  for (const part of parts) {
    // The next run confirms the rest: a million items would take seconds.
    if (pipeline.signal.aborted) return { changed: true, moved: false, again: false, ...UNREAD };
    confirmed += await store.soon(() => confirmGroups(pipeline, settling, part));
  }
  // The last part and the rest are written together: otherwise the batch would look complete, and start its job, before replaced files are
  // queued again.
  return store.soon(() => {
    confirmed += confirmGroups(pipeline, settling, last);
    return endSettling(pipeline, settling, confirmed);
  });
}
