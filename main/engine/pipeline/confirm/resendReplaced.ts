/** Resends replaced files, whose names now list only other content, under unique names. */
import type { ListingOutcome } from './readListing.ts';
import { isProvenAbsent, provenAt } from '../../evidence/absence.ts';
import { unassign, type ListedItem } from '../../store/queue/awaited.ts';
import { moveItem } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';

/**
 * Queues replaced items again. A service may keep several files under equivalent names, so a different one in the list proves
 * nothing until ours must have been listed. Returns how many were queued, and when another listing can prove more.
 */
export function resendReplaced(
  pipeline: Pipeline,
  outcome: Pick<ListingOutcome, 'batch' | 'listing' | 'poll' | 'listedAt'>,
): { readonly count: number; readonly nextAt: number | null } {
  const { store, ports, times } = pipeline;
  const { batch, listing, poll, listedAt } = outcome;
  const now = ports.clock.now();
  let count = 0;
  let nextAt: number | null = null;
  for (const item of listing.replaced) {
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
    moveItem(store, item.itemId, 'queued', now);
    unassign(store, item.itemId);
    count += 1;
    ports.log.write('warn', 'item.replacedByOthers', { item: item.itemId });
  }
  return { count, nextAt };
}

/** True when it was listed as ours before, or is ours and was damaged in transit. */
function isKnownToBeGone({ state, proof }: ListedItem): boolean {
  return state === 'confirmed' || proof === 'verify';
}
