/** Writes into the ledger what one complete listing of a batch proves. */
import { assertNever, sluiceError } from '../../core/errors.ts';
import { REFUSALS_IN_A_ROW } from '../../core/limits.ts';
import {
  type AwaitedTransfer,
  awaitedIn,
  countVanished,
  forgetPlace,
  noteProof,
  registrationsIn,
  untouchedTransfers,
} from '../../store/queue/awaited.ts';
import {
  type Batch,
  noteForeign,
  noteLag,
  shareBatch,
  startExpiry,
} from '../../store/tables/batches.ts';
import { type BatchTally, closeTransfers } from '../../store/queue/confirmation.ts';
import { transferById } from '../../store/tables/transfers.ts';
import {
  askLater,
  backInLine,
  clearDoubt,
  dropTransfer,
  markSent,
  markUnknown,
} from '../../store/tables/transfers.ts';
import { confirmItems, move, moveItem, moveItemsOf } from '../../store/transitions.ts';
import { decideMissing, type Look, type MissingDecision } from './confirmDecision.ts';
import { slowestOf } from './confirmLag.ts';
import type { Comparing, Listing } from './confirmListing.ts';
import type { Watched } from './confirmMemory.ts';
import { resendReplaced } from './confirmReplaced.ts';
import type { Figures } from '../presence/inventory.ts';
import { reasonOf } from '../find/judge.ts';
import type { Line } from '../context.ts';

/** What a listing led to. */
export interface Settled {
  /** Something was confirmed, queued again or parked. */
  readonly changed: boolean;
  /** A transfer that was not listed went on: it is repeated, sent again, or in doubt. */
  readonly moved: boolean;
  /** The batch must be listed again at once: others were found in it, and ours is compared first. */
  readonly again: boolean;
  /** Listed items that could not be compared yet. */
  readonly unchecked: number;
  /** The list showed all that the service is known to have; otherwise it is read again soon. */
  readonly isComplete: boolean;
  /** When a further listing can prove more, engine time; null: when the figures change. */
  readonly nextAt: number | null;
}

export interface Scene {
  readonly batch: Batch;
  readonly figures: Figures;
  readonly tally: BatchTally;
  readonly watched: Watched;
  readonly listing: Listing;
  /** When the listing began, engine time. */
  readonly listedAt: number;
  readonly surplus: boolean;
  readonly comparing: Comparing;
}

/** Comparisons of one item that fail before a computer that is alone in its batch goes by the name. Ours. */
const COMPARISONS = 3;
/** A file that was acknowledged and not found so often needs a person. Ours. */
const VANISHED = REFUSALS_IN_A_ROW;
/** The same where nothing of the batch was ever listed: the service may only be slow, so it is sent once more at most. Ours. */
const VANISHED_UNMEASURED = 2;

const UNREAD = { unchecked: 0, isComplete: true, nextAt: null } as const;

/** Others fill the batch: from now on our names tell the content. What was not sent yet is named anew. */
function share(line: Line, batch: Batch): Batch {
  const { store, ports } = line;
  const shared = shareBatch(store, batch);
  for (const id of untouchedTransfers(store, batch.id)) dropTransfer(store, id, ports.clock.now());
  ports.log.write('warn', 'batch.shared', { batch: batch.batchId });
  return shared;
}

/** Transfers in doubt of which the list shows something have arrived. */
function noteArrivals(line: Line, scene: Scene): void {
  const { store, ports, time, times } = line;
  const shown = scene.listing.confirmed.flatMap(({ item }) =>
    item.state === 'unknown' && item.transferId !== null ? [item.transferId] : [],
  );
  for (const id of new Set(shown)) {
    const transfer = transferById(store, id);
    if (transfer?.state !== 'unknown') continue;
    const at = transfer.lastByteAt ?? scene.listedAt;
    markSent(store, id, { sha256: [], proof: transfer.proof, at }, ports.clock.now());
    startExpiry(store, scene.batch.id, time.service(), times.retentionMs);
  }
}

function confirmListed(line: Line, scene: Scene): number {
  const { store, ports } = line;
  const { listing, batch, watched, listedAt } = scene;
  const alone = batch.createdHere && !scene.surplus;
  const seenBefore = new Set(watched.unchecked.keys());
  const trusted = listing.unchecked.filter(({ itemId, proof }) => {
    const tries = (watched.unchecked.get(itemId) ?? 0) + 1;
    watched.unchecked.set(itemId, tries);
    return alone && proof !== 'verify' && tries >= COMPARISONS;
  });
  const items = [...listing.confirmed.map(({ item }) => item), ...trusted];
  const count = confirmItems(
    store,
    items.map(({ itemId }) => itemId),
    ports.clock.now(),
  );
  for (const { item, proof } of listing.confirmed) {
    if (proof !== null) noteProof(store, item.itemId, proof);
    watched.unchecked.delete(item.itemId);
  }
  // What was listed before, and only not comparable then, says nothing about the list.
  const news = items.filter(({ itemId }) => !seenBefore.has(itemId));
  const lag = slowestOf(news, watched, listedAt);
  if (lag > 0) noteLag(store, batch.id, lag);
  return count;
}

function park(
  line: Line,
  itemId: number,
  code: 'shard.rejected' | 'upload.unproven',
  said: string | null,
): void {
  const facts = said === null ? {} : { said };
  moveItem(
    line.store,
    itemId,
    'parked',
    line.ports.clock.now(),
    reasonOf(sluiceError(code, facts)),
  );
}

/** Proved absent: sent again under the same names, or under new ones where others write, too. */
function sendAgain(line: Line, batch: Batch, transfer: AwaitedTransfer): void {
  const { store, ports } = line;
  const now = ports.clock.now();
  const row = transferById(store, transfer.id);
  if (row === null) return;
  clearDoubt(store, transfer.id);
  askLater(store, transfer.id, 0);
  if (row.sentAt !== null)
    countVanished(
      store,
      transfer.missing.map(({ itemId }) => itemId),
    );
  const most = batch.lagMs === null ? VANISHED_UNMEASURED : VANISHED;
  const lost =
    row.sentAt === null ? [] : transfer.missing.filter(({ vanished }) => vanished + 1 >= most);
  for (const { itemId } of lost) park(line, itemId, 'upload.unproven', 'taken and not listed');
  const isWhole = transfer.confirmed === 0 && lost.length === 0 && transfer.kind !== 'shard';
  if (isWhole && batch.createdHere) return backInLine(store, row, false, now);
  if (transfer.confirmed > 0) {
    // Its other members are proved: only the missing ones leave it.
    moveItemsOf(store, transfer.id, ['unknown'], 'queued', now);
    for (const { itemId } of transfer.missing) {
      store.run(
        `UPDATE items SET transfer_id = NULL, position = NULL WHERE id = ? AND state = 'queued'`,
        itemId,
      );
    }
    move(store, 'transfers', transfer.id, 'confirmed', now);
  } else dropTransfer(store, transfer.id, now);
  if (batch.createdHere) return;
  for (const { itemId } of transfer.missing) forgetPlace(store, itemId);
}

/** Carries out a decision. Answers when to look again, engine time, or null. */
function carryOut(
  line: Line,
  scene: Scene,
  transfer: AwaitedTransfer,
  decision: MissingDecision,
): number | null {
  const { store, ports, time } = line;
  const now = ports.clock.now();
  const { batch } = scene;
  switch (decision.kind) {
    case 'ask':
      return decision.at;
    case 'repeat': {
      const row = transferById(store, transfer.id);
      askLater(store, transfer.id, 0);
      if (row !== null) backInLine(store, row, true, now);
      return null;
    }
    case 'absent':
      sendAgain(line, batch, transfer);
      return null;
    case 'doubt':
      ports.log.write('warn', 'transfer.unlisted', { transfer: transfer.id, batch: batch.batchId });
      markUnknown(store, transfer.id, { lastByteAt: transfer.lastByteAt, askAt: 0 }, now);
      moveItemsOf(store, transfer.id, ['sent'], 'unknown', now);
      return time.now();
    case 'rejected':
      for (const { itemId, said } of decision.items) park(line, itemId, 'shard.rejected', said);
      return decision.at;
    default:
      return assertNever(decision);
  }
}

/** The batch is gone at the service: what was not listed before can never be proved. */
function giveUpExpired(line: Line, awaited: readonly AwaitedTransfer[]): void {
  for (const transfer of awaited) {
    for (const { itemId } of transfer.missing)
      park(line, itemId, 'upload.unproven', 'the batch expired at the service');
    const row = transferById(line.store, transfer.id);
    if (row === null) continue;
    const to = transfer.confirmed > 0 ? 'confirmed' : 'parked';
    move(line.store, 'transfers', transfer.id, to, line.ports.clock.now());
  }
}

/** What follows for what the list does not show: when to look again, and whether anything moved. */
interface Missing {
  readonly nextAt: number | null;
  readonly moved: boolean;
}

function settleMissing(line: Line, scene: Scene, isComplete: boolean): Missing {
  const { batch, listing, figures, watched, listedAt } = scene;
  const listed = new Set(listing.unchecked.map(({ itemId }) => itemId));
  const awaited = awaitedIn(line.store, batch.id, line.time.service())
    .map((transfer) => ({
      ...transfer,
      missing: transfer.missing.filter(({ itemId }) => !listed.has(itemId)),
    }))
    .filter(({ missing, lastByteAt }) => missing.length > 0 && lastByteAt <= listedAt);
  if (batch.state === 'expired') {
    giveUpExpired(line, awaited);
    return { nextAt: null, moved: awaited.length > 0 };
  }
  if (!isComplete) return { nextAt: null, moved: false };
  const look: Look = {
    listedAt,
    now: line.time.now(),
    indexing: figures.indexing,
    shards: figures.shards,
    newestListedAt: listing.newestListedAt,
    lagMs: batch.lagMs,
    shardIdsOf: listing.shardIdsOf,
    shared: !batch.createdHere || scene.surplus,
    absentBefore: watched.absent,
  };
  let moved = false;
  const dates = awaited.flatMap((transfer) => {
    const decision = decideMissing(transfer, look, awaited, line.times);
    moved ||= decision.kind !== 'ask';
    const at = carryOut(line, scene, transfer, decision);
    return at === null ? [] : [at];
  });
  watched.absent = new Set(awaited.map(({ id }) => id));
  const nextAt = dates.length === 0 ? null : dates.reduce((first, at) => Math.min(first, at));
  return { nextAt, moved };
}

/** Writes what a listing proves, in one transaction. */
export async function settleListing(line: Line, before: Scene): Promise<Settled> {
  const { store } = line;
  const { batch, figures, listing } = before;
  return store.soon(() => {
    let scene = before;
    const others =
      listing.foreign + Math.max(0, figures.shards.length - registrationsIn(store, batch.id));
    // Another file under our name is another computer's, unless it is our own that was damaged on its way.
    const taken = listing.replaced.some(({ proof }) => proof !== 'verify');
    if (batch.createdHere && (others > 0 || scene.surplus || taken)) {
      scene = { ...before, batch: share(line, batch) };
      // What was listed was not compared as it must be where others write.
      if (!scene.comparing.bareNames) return { changed: true, moved: true, again: true, ...UNREAD };
    }
    noteArrivals(line, scene);
    const confirmed = confirmListed(line, scene);
    // Decided by what the looks before this one showed: settleMissing notes what this one did not.
    const replaced = resendReplaced(line, scene);
    // A list that is shorter than the count is not all there is; one that lost all it had is of a batch that is over.
    const isEmptied = listing.names === 0 && scene.tally.confirmed > 0;
    const isComplete = listing.names >= figures.count && !isEmptied;
    const missing = settleMissing(line, scene, isComplete);
    const dates = [missing.nextAt, replaced.nextAt].filter((at) => at !== null);
    const nextAt = dates.length === 0 ? null : Math.min(...dates);
    const moved = missing.moved || replaced.count > 0;
    closeTransfers(store, batch.id, line.ports.clock.now());
    if (scene.comparing.confirmed) noteForeign(store, batch.id, listing.foreign);
    const changed = moved || confirmed > 0;
    const unchecked = listing.unchecked.length;
    return { changed, moved, again: false, unchecked, isComplete, nextAt };
  });
}
