/**
 * Files whose names list other content: replaced by another computer, or altered by the storage. One of them is sent again as a trial, which
 * shows which it was (presence/alteredContent.ts).
 */
import { sluiceError } from '../../core/errors.ts';
import { isProvenAbsent, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type ListedItem, unassign } from '../../store/queue/awaited.ts';
import { awaitAgain } from '../../store/queue/confirmation.ts';
import { nameHolder } from '../../store/tables/batches.ts';
import { itemById, itemsOfTransfer } from '../../store/tables/items.ts';
import {
  addTransfers,
  dropTransfer,
  noteFailure,
  transferById,
} from '../../store/tables/transfers.ts';
import { moveItem } from '../../store/transitions.ts';
import { backoffSince } from '../backoff.ts';
import type { Pipeline } from '../context.ts';
import { uniqueName } from '../plan/names.ts';
import {
  endTrial,
  noteTrial,
  trialOf,
  type Verdict,
  verdictOf,
} from '../presence/alteredContent.ts';
import { ownShards, surplusOf } from '../presence/inventory.ts';
import { toUnchecked } from './found.ts';
import type { Listing, ListingOutcome } from './readListing.ts';

/** What a listing says about these files. */
interface Judgement {
  /** Others fill the batch, or may do so. */
  readonly isShared: boolean;
  /** What the trial shows; null while there is none, or it shows nothing yet. */
  readonly verdict: Verdict | null;
  /** Files that the storage may have altered: no file shows another computer. */
  readonly suspect: readonly ListedItem[];
  /** The same listing, in which the files that wait for the trial count as not compared yet. */
  readonly outcome: ListingOutcome;
}

/** Judges the content that a listing shows under our names although it is not ours. */
export function judgeReplaced(pipeline: Pipeline, outcome: ListingOutcome): Judgement {
  const { batch, figures, tally, listing, listedAt, surplus } = outcome;
  const { foreign, sight, replaced } = listing;
  const own = ownShards(pipeline, batch);
  const others = foreign > 0 || figures.shards.length > own || surplus;
  const trial = trialOf(pipeline, batch.id);
  if (trial !== null && trial.itemId !== null) {
    const verdict = verdictOf(pipeline, batch, trial.itemId, {
      sight,
      others: Math.max(foreign, surplusOf(figures, tally)),
      listedAt,
    });
    return { isShared: others, verdict, suspect: [], outcome: waiting(outcome) };
  }
  // A shard that has not ended may be one of ours whose address was lost. A trial costs nothing: its file would be sent again anyway.
  const ended = figures.shards.filter(({ status }) => status !== 'running').length;
  const suspect = replaced.filter((item) => mayBeTrial(pipeline, item));
  const isPossible = suspect.length > 0 || replaced.length === 0;
  if (foreign === 0 && surplusOf(figures, tally) === 0 && ended <= own && isPossible) {
    const isShared = others || replaced.length > 0;
    return { isShared, verdict: null, suspect, outcome: waiting(outcome) };
  }
  const verdict = trial !== null && replaced.length > 0 ? 'failed' : null;
  // Different content under our name comes from another computer, unless our own file was damaged in transit.
  const isShared =
    others || replaced.some((one) => one.proof !== 'verify' || wasTaken(pipeline, one));
  return { isShared, verdict, suspect: [], outcome };
}

/**
 * True for a single file that the service did not take because it has one of this name: if the list shows other content there, ours is not
 * there, unless the storage altered it and the request was sent on twice.
 */
export function wasTaken({ store }: Pipeline, { state, proof, transferId }: ListedItem): boolean {
  if (state !== 'unknown' || proof !== 'verify') return false;
  const transfer = transferById(store, transferId ?? 0);
  return transfer?.lastCode === 'service.refused' && transfer.kind !== 'shard';
}

/**
 * False for a file under whose name nothing is, so that a trial cannot be compared with that; and for one that changed before it could be sent
 * as a trial: it would do so again.
 */
function mayBeTrial(
  { store }: Pipeline,
  { transferId, nothing }: Listing['replaced'][number],
): boolean {
  return nothing !== true && transferById(store, transferId ?? 0)?.lastCode !== 'item.changed';
}

function waiting(outcome: ListingOutcome): ListingOutcome {
  const { replaced, unchecked } = outcome.listing;
  const more = replaced.map((item) => toUnchecked(item));
  return {
    ...outcome,
    listing: { ...outcome.listing, replaced: [], unchecked: [...unchecked, ...more] },
  };
}

/** What a listing shows of the batch whose files seem to be replaced. */
type Facts = Pick<ListingOutcome, 'batch' | 'poll' | 'listedAt'> & {
  readonly listing: Pick<Listing, 'newestListedAt'>;
};

/** How many items were queued again, and when another listing can prove more. */
interface Resent {
  readonly count: number;
  readonly nextAt: number | null;
}

/**
 * Returns the items that would have been listed by now, so that they are gone. Before that, another file under the name proves nothing: the
 * service may keep both, and the list may lag behind one that showed a confirmed item, which is made to wait for the list again.
 */
function settleGone(
  pipeline: Pipeline,
  { batch, poll, listedAt, listing: { newestListedAt } }: Facts,
  items: readonly ListedItem[],
): { readonly gone: readonly ListedItem[]; readonly nextAt: number | null } {
  const { store, ports, times } = pipeline;
  const gone: ListedItem[] = [];
  let nextAt: number | null = null;
  for (const item of items) {
    const absence = {
      lastByteAt: item.lastByteAt ?? item.sentAt ?? 0,
      listedAt,
      newestListedAt,
      lagMs: batch.lagMs,
      watchedSince: poll.since,
      wasAbsentBefore: item.transferId !== null && poll.absent.has(item.transferId),
    };
    // That the storage stated a wrong checksum says nothing about whose object is listed. Even the members of one shard are not necessarily
    // listed at the same time.
    const isGone =
      item.state === 'confirmed'
        ? !awaitAgain(store, item, ports.clock.now())
        : wasTaken(pipeline, item) || isProvenAbsent(absence, times);
    if (isGone) gone.push(item);
    else nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, provenAt(absence, times));
  }
  return { gone, nextAt };
}

/** Queues replaced items again: they get unique names. */
export function resendReplaced(
  pipeline: Pipeline,
  facts: Facts,
  items: readonly ListedItem[],
): Resent {
  const { store, ports } = pipeline;
  // Other doubtful items are settled with everything else that the list does not show.
  const settled = items.filter((item) => item.state !== 'unknown' || wasTaken(pipeline, item));
  const { gone, nextAt } = settleGone(pipeline, facts, settled);
  for (const { itemId, state, transferId } of gone) {
    const now = ports.clock.now();
    if (state === 'unknown' && transferId !== null) dropTransfer(store, transferId, now);
    else moveItem(store, itemId, 'queued', now);
    unassign(store, itemId);
    ports.log.write('warn', 'item.replacedByOthers', { item: itemId });
  }
  return { count: gone.length, nextAt };
}

/** The failed trial of a file that was gone; null for any other. */
function goneTrial({ store }: Pipeline, transferId: number | null) {
  const transfer = transferById(store, transferId ?? 0);
  return transfer?.lastCode === 'item.gone' || transfer?.lastCode === 'item.unreadable'
    ? transfer
    : null;
}

/**
 * Queues the smallest of the items again, as a trial: one that was gone only if there is no other, after a pause. If none of them can have
 * a unique name, there is no trial.
 */
export function sendTrial(pipeline: Pipeline, facts: Facts, items: readonly ListedItem[]): Resent {
  const { store, ports } = pipeline;
  const { batch } = facts;
  const { gone, nextAt } = settleGone(pipeline, facts, items);
  if (gone.length === 0) return { count: 0, nextAt };
  const candidates = gone
    .flatMap(({ itemId }) => itemById(store, itemId) ?? [])
    .map((item) => ({ ...item, earlier: goneTrial(pipeline, item.transferId) }))
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)
    .toSorted((one, other) => Number(one.earlier !== null) - Number(other.earlier !== null))
    .flatMap((item) =>
      // The file may have its first unique name already.
      [0, 1].flatMap((attempt) => {
        const name = uniqueName(item, attempt);
        return name === null ? [] : [{ ...item, itemId: item.id, name, nameKey: nameKey(name) }];
      }),
    );
  const trial = candidates.find((one) => nameHolder(store, batch.id, one.nameKey) === null);
  if (trial === undefined) {
    endTrial(pipeline, batch, 'failed');
    return { count: 0, nextAt: null };
  }
  const now = ports.clock.now();
  const { itemId, sizeBytes, state, transferId, earlier } = trial;
  // The other files of a doubtful archive stay in it: if it was dropped, they would be sent again, too.
  const members = itemsOfTransfer(store, transferId ?? 0).filter((one) => one.state === 'unknown');
  if (state === 'unknown' && transferId !== null && members.length === 1)
    dropTransfer(store, transferId, now);
  else moveItem(store, itemId, 'queued', now);
  // The trial goes into this batch, even if it is closed: only there can it be compared with the object under its earlier name.
  const kind = batch.mode === 'single' ? batch.kind : 'shard';
  const planned = { kind, sizeBytes, notification: null, members: [trial] } as const;
  const [id = 0] = addTransfers(store, batch.id, [planned], now);
  if (earlier !== null) {
    const at = pipeline.time.now();
    const since = earlier.failingSince ?? at;
    const pause = backoffSince(pipeline, at - since, null);
    noteFailure(store, { id }, sluiceError('item.gone'), at + pause, since);
  }
  noteTrial(pipeline, batch, trial);
  ports.log.write('info', 'batch.trialSent', { batch: batch.batchId, item: itemId });
  return { count: 1, nextAt };
}
