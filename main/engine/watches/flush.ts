/**
 * When an unfilled shard of a watch is sent: nothing new came for a while, or the oldest file waits long enough. Measured
 * on the clock that never jumps: a wrong wall clock holds nothing up.
 */

/** The two patiences of a watch, ms. */
export interface FlushTimes {
  /** An unfilled shard is sent when nothing came for this long, or when its first item waits for so long. */
  readonly flushQuietMs: number;
  readonly flushOldMs: number;
}

/** What waits: when it is due, and a mark that differs from anything that waited before. */
interface Due {
  readonly at: number;
  readonly mark: string;
}

export interface Flush {
  /** Items were queued just now; `newest` is the highest id of them. */
  arrived(newest: number): void;
  /**
   * When what waits is due, on the clock that never jumps; negative infinity for what waited before this program began.
   * null while nothing waits.
   */
  dueAt(): Due | null;
}

/** Makes the memory of one watch. `oldestWaiting` answers the id of the oldest item without a transfer, or null. */
export function createFlush(
  monotonicMs: () => number,
  times: FlushTimes,
  oldestWaiting: () => number | null,
): Flush {
  /** Arrivals in their order: everything up to an id was there at an instant. */
  let arrivals: { readonly upTo: number; readonly at: number }[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    arrived: (newest) => {
      lastAt = monotonicMs();
      // A known file that is queued again has an old id.
      arrivals.push({ upTo: Math.max(newest, arrivals.at(-1)?.upTo ?? 0), at: lastAt });
    },
    dueAt: () => {
      const oldest = oldestWaiting();
      if (oldest === null) {
        arrivals = [];
        return null;
      }
      if ((arrivals[0]?.upTo ?? oldest) < oldest) {
        arrivals = arrivals.filter(({ upTo }) => upTo >= oldest);
      }
      const since = arrivals[0]?.at ?? Number.NEGATIVE_INFINITY;
      const at = Math.min(lastAt + times.flushQuietMs, since + times.flushOldMs);
      return { at, mark: `${oldest} ${lastAt}` };
    },
  };
}
