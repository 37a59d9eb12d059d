/** A clock that stands still until a test moves it: sleepers wake in order, and each one's immediate work is done before the next wakes. */
import type { Clock } from '../../../../main/engine/core/ports.ts';

export interface VirtualClock extends Clock {
  /** Moves time forward, waking every sleeper on the way. */
  advance(ms: number): Promise<void>;
  /** Sleepers now. */
  sleeping(): number;
  /** Sleeps begun since the start. */
  sleeps(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Lets everything run that waits only for promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Creates a clock. `late` returns by how much the next sleeper wakes too late, ms, as with real timers. */
export function createVirtualClock(startAt = 0, late: () => number = () => 0): VirtualClock {
  let now = startAt;
  let begun = 0;
  let sleepers: Sleeper[] = [];
  return {
    now: () => now,
    monotonicMs: () => now,
    sleeping: () => sleepers.length,
    sleeps: () => begun,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        begun += 1;
        const wake = (): void => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { at: now + ms + late(), wake };
        if (signal?.aborted === true) return wake();
        signal?.addEventListener('abort', wake, { once: true });
        sleepers.push(sleeper);
      }),
    advance: async (ms) => {
      const target = now + ms;
      for (;;) {
        await settle();
        const next = sleepers.toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined || next.at > target) break;
        now = Math.max(now, next.at);
        next.wake();
      }
      now = target;
      await settle();
    },
  };
}
