/** A lane runs one step: when woken, when something is due, and on a slow tick, so that a lost wake-up costs time, never correctness. */
import type { Clock } from '../core/ports.ts';

/** Runs the step once. Returns when to run again: in ms from now, 0 for at once, null for only when woken or on the tick. */
export type Step = () => Promise<number | null>;

export interface Lane {
  wake(): void;
  /** Resolves when the lane has stopped; rejects if its step threw, which means a bug or a damaged ledger. */
  readonly done: Promise<void>;
}

const TICK_MS = 60_000;

/** Reused because creating an Error with a stack for each wake-up is slow. */
const WOKEN = new Error('woken');

/** Starts a lane; it stops after the running step once the signal aborts. */
export function startLane(clock: Clock, signal: AbortSignal, step: Step): Lane {
  let woken = false;
  let sleep: AbortController | null = null;
  const wake = (): void => {
    woken = true;
    sleep?.abort(WOKEN);
    sleep = null;
  };
  const run = async (): Promise<void> => {
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      woken = false;
      const again = await step();
      if (woken || again === 0 || signal.aborted) continue;
      sleep = new AbortController();
      await clock.sleep(Math.min(again ?? TICK_MS, TICK_MS), sleep.signal);
    }
    signal.removeEventListener('abort', wake);
  };
  return { wake, done: run() };
}
