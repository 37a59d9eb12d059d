/** A clock that stands still until a test moves it, and sleeps that end when it does. */
import type { Clock } from '../../main/engine/core/ports.ts';

export interface ManualClock extends Clock {
  /** Moves time forward; sleeps that fall due end. */
  advance(ms: number): void;
  /** Every read of the wall clock advances it by this much. */
  tickPerLook(ms: number): void;
  /** Sleeps that have not ended. */
  sleepers(): number;
}

/** Makes a clock that begins at `startAt`, epoch ms. */
export function createManualClock(startAt = 1_800_000_000_000): ManualClock {
  let elapsed = 0;
  let tick = 0;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const settle = (): void => {
    const due = sleepers.filter((sleeper) => sleeper.at <= elapsed);
    sleepers = sleepers.filter((sleeper) => sleeper.at > elapsed);
    for (const sleeper of due) sleeper.wake();
  };
  return {
    now: () => {
      elapsed += tick;
      return startAt + elapsed;
    },
    monotonicMs: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const sleeper = { at: elapsed + ms, wake: resolve };
        sleepers.push(sleeper);
        const end = (): void => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          resolve();
        };
        signal?.addEventListener('abort', end, { once: true });
      }),
    advance: (ms) => {
      elapsed += ms;
      settle();
    },
    sleepers: () => sleepers.length,
    tickPerLook: (ms) => {
      tick = ms;
    },
  };
}
