/** Waiting until a step reports a change. */
import type { Clock } from '../core/ports.ts';

export interface Changes {
  /** Something has changed: those that wait look again. */
  note(): void;
  /** Resolves at the next change, but after this time in any case, and at once when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
}

/** Created once, as an error with its stack is slow. */
const CHANGED = new Error('changed');

export function createChanges(clock: Clock): Changes {
  const waiting = new Set<AbortController>();
  return {
    note: () => {
      for (const one of waiting) one.abort(CHANGED);
    },
    next: async (ms, signal) => {
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
