/** How many transfers or downloads may use the network now, based on the last time window. */
import type { ErrorCode } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { adaptLanes, type LaneBounds, startLanes } from './adapt.ts';

/** How long a window lasts, in ms; shorter until something limits the rate. Our choice. */
const WINDOW_MS = { early: 200, later: 400 } as const;
/** A window in which fewer transfers end than there are lanes lasts this long, in ms. Our choice: sent bytes are reported every 100 ms. */
const LONG_MS = 1000;

export function createLaneCount(clock: Clock, start: number, bounds: () => LaneBounds) {
  let lanes = startLanes(start, bounds());
  const open = () => {
    const from = clock.monotonicMs();
    return { from, full: true, trouble: false, bytes: 0, ended: 0, measured: false };
  };
  let window = open();
  const windowMs = (): number => (lanes.early ? WINDOW_MS.early : WINDOW_MS.later);
  return {
    // The bounds may have changed since the last window.
    allowed: () => Math.min(lanes.allowed, bounds().most),
    /** How long a window lasts now, in ms. */
    windowMs,
    /** Starts the next window if this one is over. One in which nothing happened continues: it measured nothing. */
    turnWindow: () => {
      const durationMs = clock.monotonicMs() - window.from;
      const long = window.ended < lanes.allowed;
      const isOver = durationMs >= (long ? LONG_MS : windowMs()) && window.measured;
      if (!isOver && !window.trouble) return;
      lanes = adaptLanes(lanes, { ...window, durationMs, long }, bounds());
      window = open();
    },
    /** Fewer transfers were due than could have run. */
    wasNotFull: () => {
      window.full = false;
    },
    moved: (bytes: number) => {
      window.bytes += bytes;
      window.measured = true;
    },
    /** A transfer is complete; an empty one counts, too. */
    ended: () => {
      window.bytes += 1;
      window.ended += 1;
      window.measured = true;
    },
    failed: (code: ErrorCode) => {
      window.ended += 1;
      window.measured = true;
      if (code === 'service.busy' || code === 'network.timeout') window.trouble = true;
    },
  };
}

export type LaneCount = ReturnType<typeof createLaneCount>;
