/** How far the list of a batch lags, measured by what it shows for the first time. Pure. All times are engine time. */
import type { ListedItem } from '../../store/queue/awaited.ts';
import type { BatchPollState } from './pollState.ts';

/** A longer lag says more about a clock than about the service, in ms. Our choice. */
const LONGEST_LAG_MS = 60 * 60_000;
/** After a longer gap between polls, a file may have been listed long before we saw it, in ms. Our slowest polling interval. */
const LOOKS_APART_MS = 60_000;

/**
 * How long a file took to be listed. At `quietAt` it was not listed yet. After that, only the normal interval between polls counts: the
 * service was not slow while the program or the network was down.
 */
export function lagOf(sentAt: number, quietAt: number | null, listedAt: number): number {
  const unlistedAt = quietAt === null ? sentAt : Math.max(sentAt, quietAt);
  return unlistedAt - sentAt + Math.min(LOOKS_APART_MS, listedAt - unlistedAt);
}

/**
 * The longest time that one of the items took to be listed, in ms; 0 when none of them shows it. Items that were sent in an earlier run do
 * not show it.
 */
export function slowestOf(
  items: readonly Pick<ListedItem, 'sentAt' | 'lastByteAt'>[],
  watched: Pick<BatchPollState, 'since' | 'quietAt'>,
  listedAt: number,
): number {
  const lags = items.map(({ sentAt, lastByteAt }) => {
    // For an item that was doubtful, only the latest time at which it can have been sent is known.
    const at = Math.max(sentAt ?? 0, lastByteAt ?? 0);
    return at <= watched.since ? 0 : lagOf(at, watched.quietAt, listedAt);
  });
  return lags.reduce((most, lag) => (lag <= LONGEST_LAG_MS ? Math.max(most, lag) : most), 0);
}
