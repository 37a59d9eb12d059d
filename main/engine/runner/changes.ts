/** Waiting until a step reports a change. */
import type { Clock } from '../core/ports.ts';

/** Created once, as an error with its stack is slow. */
const CHANGED = new Error('changed');

export function createChanges(clock: Clock) {
  const waiting = new Set<AbortController>();
  return {
    /** Something has changed: wakes everything that waits for the next change. */
    note: () => {
      for (const one of waiting) one.abort(CHANGED);
    },
    /** Resolves at the next change, at the latest after this time, and at once when the signal aborts. */
    next: async (ms: number, signal: AbortSignal) => {
      const one = new AbortController();
      const end = (): void => one.abort(CHANGED);
      waiting.add(one);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      await clock.sleep(ms, one.signal);
      signal.removeEventListener('abort', end);
      waiting.delete(one);
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
