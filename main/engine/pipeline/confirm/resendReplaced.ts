/** Resends replaced files, whose names now list only other content, under unique names: all of them, or one as a probe. */
import type { ListingOutcome } from './readListing.ts';
import { isProvenAbsent, provenAt } from '../../evidence/absence.ts';
import { unassign, type ListedItem } from '../../store/queue/awaited.ts';
import { moveItem } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';
import { startProbe } from '../presence/alteredContent.ts';

type Facts = Pick<ListingOutcome, 'batch' | 'listing' | 'poll' | 'listedAt'>;

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
  { batch, listing, poll, listedAt }: Facts,
  items: readonly ListedItem[],
): { readonly gone: readonly ListedItem[]; readonly nextAt: number | null } {
  const gone: ListedItem[] = [];
  let nextAt: number | null = null;
  for (const item of items) {
    if (item.state === 'unknown') continue;
    const absence = {
      lastByteAt: item.lastByteAt ?? item.sentAt ?? 0,
      listedAt,
      newestListedAt: listing.newestListedAt,
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
export function resendReplaced(pipeline: Pipeline, facts: Facts): Resent {
  const { store, ports } = pipeline;
  const { gone, nextAt } = goneOf(pipeline, facts, facts.listing.replaced);
  for (const { itemId } of gone) {
    moveItem(store, itemId, 'queued', ports.clock.now());
    unassign(store, itemId);
    ports.log.write('warn', 'item.replacedByOthers', { item: itemId });
  }
  return { count: gone.length, nextAt };
}

/** Queues one of the items again, as a probe. */
export function probeReplaced(
  pipeline: Pipeline,
  facts: Facts,
  items: readonly ListedItem[],
): Resent {
  const { gone, nextAt } = goneOf(pipeline, facts, items);
  if (gone.length === 0) return { count: 0, nextAt };
  const ids = gone.map(({ itemId }) => itemId);
  startProbe(pipeline, facts.batch, ids);
  return { count: 1, nextAt };
}

/** True when it was listed as ours before, or is ours and was damaged in transit. */
function isKnownToBeGone({ state, proof }: ListedItem): boolean {
  return state === 'confirmed' || proof === 'verify';
}
