/** How slow the list of a batch is, measured by what it shows for the first time. Pure. Instants are engine time. */
import type { ListedItem } from '../../store/queue/awaited.ts';
import type { BatchPollState } from './pollState.ts';

/** A lag longer than this says more about a clock than about the service, ms. Ours. */
const LONGEST_LAG_MS = 60 * 60_000;
/** Without a look for longer than this, a file that is listed now was listed long ago, ms. Ours: the slowest pace of looks. */
const LOOKS_APART_MS = 60_000;

/**
 * How long a file took to be listed. When it was quiet last it was not there yet; the time since then counts only as far as
 * looks are apart while all is well: while the program or the network was away, the service was not slow.
 */
export function lagOf(sentAt: number, quietAt: number | null, listedAt: number): number {
  const unlistedAt = quietAt === null ? sentAt : Math.max(sentAt, quietAt);
  return unlistedAt - sentAt + Math.min(LOOKS_APART_MS, listedAt - unlistedAt);
}

/**
 * The longest time that one of these took to be listed; 0 when none shows it. Deliveries of an earlier run show nothing: how long
 * ago they were is not known.
 */
export function slowestOf(
  items: readonly Pick<ListedItem, 'sentAt' | 'lastByteAt'>[],
  watched: Pick<BatchPollState, 'since' | 'quietAt'>,
  listedAt: number,
): number {
  const lags = items.map(({ sentAt, lastByteAt }) => {
    if (sentAt === null) return 0;
    const at = Math.max(sentAt, lastByteAt ?? sentAt);
    return at <= watched.since ? 0 : lagOf(at, watched.quietAt, listedAt);
  });
  return lags.reduce((most, lag) => (lag <= LONGEST_LAG_MS ? Math.max(most, lag) : most), 0);
}
