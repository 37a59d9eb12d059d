/** The clocks of a computer: one that jumps, one that does not, and sleep as on a loaded machine. */
import type { Clock } from '../../main/engine/core/ports.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

/** The calendar date of virtual time 0: 2026-11-20 08:00 UTC. */
export const EPOCH_MS = Date.UTC(2026, 10, 20, 8);

/** Creates a wall clock that is off by `offsetMs`. */
export function createWallClock(timeline: Timeline, offsetMs: number) {
  let offset = offsetMs;
  return {
    now: () => EPOCH_MS + offset + timeline.now(),
    jump: (ms: number) => {
      offset += ms;
    },
  };
}

/** A wall clock that can be set; it belongs to the computer and outlives its processes. */
export type WallClock = ReturnType<typeof createWallClock>;

/**
 * The clock of one process. Sleeps end at multiples of `grainMs`: later than asked, as on a loaded machine, and never
 * earlier. This keeps a simulation from spending its time on pauses of 50 ms.
 */
export function createClock(
  timeline: Timeline,
  wall: WallClock,
  life: Life,
  grainMs: number,
): Clock {
  const startedAt = timeline.now();
  return {
    now: () => Math.round(wall.now()),
    monotonicMs: () => timeline.now() - startedAt + 1_000,
    bootMs: () => timeline.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const now = timeline.now();
        const until = Math.ceil((now + ms) / grainMs) * grainMs;
        const end = (): void => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const cancel = life.after(until - now, end);
        const onAbort = (): void => {
          cancel();
          life.after(0, end);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
