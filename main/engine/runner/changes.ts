/** Waiting until a step reports a change. */
import type { Clock } from '../core/ports.ts';

/** Created once, as an error with its stack is slow. */
const CHANGED = new Error('changed');

export function createChanges(clock: Clock) {
  /** Aborts at the next change; null while nothing waits for it. */
  let change: AbortController | null = null;
  return {
    /** Something has changed: those that wait look again. */
    note: () => {
      change?.abort(CHANGED);
      change = null;
    },
    /** Resolves at the next change, but after this time in any case, and at once when the signal aborts. */
    next: (ms: number, signal: AbortSignal): Promise<void> => {
      change ??= new AbortController();
      return clock.sleep(ms, AbortSignal.any([signal, change.signal]));
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
