/** Resends replaced files, whose names now list only other content, under unique names: all of them, or one as a trial. */
import type { Listing, ListingOutcome } from './readListing.ts';
import { isProvenAbsent, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type ListedItem, renameQueued, unassign } from '../../store/queue/awaited.ts';
import { nameHolder } from '../../store/tables/batches.ts';
import { itemById } from '../../store/tables/items.ts';
import { moveItem } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';
import { uniqueName } from '../plan/matchExisting.ts';
import { endTrial, noteTrial } from '../presence/alteredContent.ts';

type Facts = Pick<ListingOutcome, 'batch' | 'poll' | 'listedAt'> & Pick<Listing, 'newestListedAt'>;

/** What was queued again, and when another listing can prove more. */
interface Resent {
  readonly count: number;
  readonly nextAt: number | null;
}

/**
 * Which of the items must have been listed by now. A service may keep several files under equivalent names, so a different one in
 * the list proves nothing before that.
 */
function goneOf(
  { times }: Pipeline,
  { batch, poll, listedAt, newestListedAt }: Facts,
  items: readonly ListedItem[],
): { readonly gone: readonly ListedItem[]; readonly nextAt: number | null } {
  const gone: ListedItem[] = [];
  let nextAt: number | null = null;
  for (const item of items) {
    if (item.state === 'unknown') continue;
    const absence = {
      lastByteAt: item.lastByteAt ?? item.sentAt ?? 0,
      listedAt,
      newestListedAt,
      lagMs: batch.lagMs,
      wasAbsentBefore: item.transferId !== null && poll.absent.has(item.transferId),
    };
    // Members of a shard are not necessarily listed at the same time either.
    if (!isKnownToBeGone(item) && !isProvenAbsent(absence, times)) {
      nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, provenAt(absence, times));
      continue;
    }
    gone.push(item);
  }
  return { gone, nextAt };
}

/** Queues replaced items again. */
export function resendReplaced(
  pipeline: Pipeline,
  facts: Facts,
  items: readonly ListedItem[],
): Resent {
  const { store, ports } = pipeline;
  const { gone, nextAt } = goneOf(pipeline, facts, items);
  for (const { itemId } of gone) {
    moveItem(store, itemId, 'queued', ports.clock.now());
    unassign(store, itemId);
    ports.log.write('warn', 'item.replacedByOthers', { item: itemId });
  }
  return { count: gone.length, nextAt };
}

/** Queues the smallest of the items again, as a trial; if none of them can have a unique name, there is no trial. */
export function sendTrial(pipeline: Pipeline, facts: Facts, items: readonly ListedItem[]): Resent {
  const { store, ports } = pipeline;
  const { batch } = facts;
  const { gone, nextAt } = goneOf(pipeline, facts, items);
  if (gone.length === 0) return { count: 0, nextAt };
  const candidates = gone
    .flatMap(({ itemId }) => itemById(store, itemId) ?? [])
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)
    .flatMap((item) => {
      const name = uniqueName(item);
      return name === null ? [] : [{ id: item.id, name, key: nameKey(name) }];
    });
  const trial = candidates.find(({ key }) => nameHolder(store, batch.id, key) === null);
  if (trial === undefined) {
    endTrial(pipeline, batch, 'failed');
    return { count: 0, nextAt: null };
  }
  moveItem(store, trial.id, 'queued', ports.clock.now());
  renameQueued(store, trial.id, trial);
  noteTrial(pipeline, batch, trial.id);
  ports.log.write('info', 'batch.trialSent', { batch: batch.batchId, item: trial.id });
  return { count: 1, nextAt };
}

/** True when it was listed as ours before, or is ours and was damaged in transit. */
function isKnownToBeGone({ state, proof }: ListedItem): boolean {
  return state === 'confirmed' || proof === 'verify';
}
