/** When an unfilled shard is sent: no new file came for a while, or the oldest file has waited long enough. By the monotonic clock. */
import type { WatchTimes } from '../core/limits.ts';

/** Creates the memory of one watch. `oldestWaiting` returns the id of the oldest item without a transfer, or null. */
export function createFlush(
  monotonicMs: () => number,
  times: Pick<WatchTimes, 'flushQuietMs' | 'flushOldMs'>,
  oldestWaiting: () => number | null,
) {
  /** Arrivals in order: all items up to an id existed at the given time. */
  let arrivals: { readonly upTo: number; readonly at: number }[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  /** Items below this id had their turn: one that waits again, because another file of its shard changed, has waited long enough. */
  let passed = 0;
  return {
    /** Items were just queued; `newest` is the highest of their ids. */
    arrived: (newest: number) => {
      lastAt = monotonicMs();
      passed = Math.min(passed, newest);
      // A known file that is queued again may have a lower id than earlier arrivals.
      arrivals.push({ upTo: Math.max(newest, arrivals.at(-1)?.upTo ?? 0), at: lastAt });
    },
    /**
     * `at`: when the waiting items are due, in monotonic ms; -Infinity for items from before this run. `mark`: different for each wait.
     * Null while nothing waits.
     */
    dueAt: () => {
      const oldest = oldestWaiting();
      if (oldest === null) {
        passed = Math.max(passed, (arrivals.at(-1)?.upTo ?? 0) + 1);
        arrivals = [];
        return null;
      }
      if ((arrivals[0]?.upTo ?? oldest) < oldest) {
        arrivals = arrivals.filter(({ upTo }) => upTo >= oldest);
      }
      const [first] = oldest < passed ? [] : arrivals;
      passed = Math.max(passed, oldest);
      const since = first?.at ?? Number.NEGATIVE_INFINITY;
      const at = Math.min(lastAt + times.flushQuietMs, since + times.flushOldMs);
      return { at, mark: `${oldest} ${lastAt}` };
    },
  };
}

export type Flush = ReturnType<typeof createFlush>;
