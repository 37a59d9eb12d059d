/** How many transfers or downloads run at once: more while throughput grows, half after 429, 503 or a timeout. */
import type { ErrorCode } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';

export interface LaneBounds {
  readonly least: number;
  readonly most: number;
}

export interface Lanes {
  readonly allowed: number;
  /** The number of lanes before the last increase. */
  readonly before: number;
  /** Best rate seen with fewer lanes, bytes per ms. */
  readonly bestRate: number;
  /** Windows to wait before growing again. */
  readonly rest: number;
  /** Nothing has limited the rate yet: the number is doubled rather than increased step by step. */
  readonly early: boolean;
  /**
   * Lanes were added: a long window measures nothing yet, because the operating system first takes part of each new file into its buffers.
   */
  readonly settling: boolean;
}

interface Window {
  readonly bytes: number;
  readonly durationMs: number;
  /** Every allowed lane was in use the whole time. */
  readonly full: boolean;
  /** A 429, a 503 or a timeout occurred. */
  readonly trouble: boolean;
  /**
   * Most transfers take longer than the window: `bytes` counts what was handed to the operating system, part of which may still be in its
   * buffers.
   */
  readonly long: boolean;
}

/** Adding lanes must improve the rate by at least this factor, otherwise the last step is undone. */
const WORTH_IT = 1.03;
/**
 * The same in long windows, as a fraction of the growth in lanes: with more lanes each large file is slower, and an outage interrupts more
 * of them. Our choice.
 */
const LONG_WORTH_IT = 0.25;
const STEP = 2;
const EARLY_FACTOR = 2;
const REST_AFTER_TROUBLE = 10;
const REST_AFTER_LOSS = 4;

/** The initial state, within the bounds. Pure. */
export function startLanes(start: number, bounds: LaneBounds): Lanes {
  const allowed = Math.min(bounds.most, Math.max(bounds.least, start));
  return { allowed, before: allowed, bestRate: 0, rest: 0, early: true, settling: true };
}

function calmed(allowed: number, rest: number): Lanes {
  return { allowed, before: allowed, bestRate: 0, rest, early: false, settling: false };
}

/** The next state after a window of time. Pure. */
export function adaptLanes(lanes: Lanes, window: Window, bounds: LaneBounds): Lanes {
  const clamp = (count: number): number =>
    Math.min(bounds.most, Math.max(bounds.least, Math.floor(count)));
  if (window.trouble) {
    return calmed(clamp(lanes.allowed / 2), REST_AFTER_TROUBLE);
  }
  if (!window.full || window.durationMs <= 0) return { ...lanes, allowed: clamp(lanes.allowed) };
  if (lanes.rest > 0) return { ...lanes, allowed: clamp(lanes.allowed), rest: lanes.rest - 1 };
  if (window.long && lanes.settling && window.bytes > 0)
    return { ...lanes, allowed: clamp(lanes.allowed), settling: false };
  const rate = window.bytes / window.durationMs;
  const added = (lanes.allowed - lanes.before) / lanes.before;
  const worthIt = window.long ? 1 + LONG_WORTH_IT * added : WORTH_IT;
  if (rate > lanes.bestRate * worthIt) {
    const more = clamp(lanes.early ? lanes.allowed * EARLY_FACTOR : lanes.allowed + STEP);
    const before = Math.min(lanes.allowed, more);
    // At the upper bound there is no further step whose gain could be measured.
    if (more === lanes.allowed) return { ...lanes, before, bestRate: 0 };
    return { ...lanes, allowed: more, before, bestRate: rate, settling: true };
  }
  // The last step gained nothing: undo it, and try again later with a fresh measurement.
  const less = lanes.early ? lanes.allowed / EARLY_FACTOR : lanes.allowed - 1;
  return calmed(clamp(window.long ? Math.min(lanes.before, less) : less), REST_AFTER_LOSS);
}

/** How long a window lasts, in ms; shorter until something limits the rate. Our choice. */
const WINDOW_MS = { early: 200, later: 400 } as const;
/** A window in which fewer transfers end than there are lanes lasts this long, in ms. Our choice: sent bytes are reported every 100 ms. */
const LONG_MS = 1000;

/** Counts what happens in each window, and adapts the lanes at its end. */
export function createLaneCount(clock: Clock, start: number, bounds: () => LaneBounds) {
  let lanes = startLanes(start, bounds());
  const open = () => {
    const from = clock.monotonicMs();
    return { from, full: true, trouble: false, bytes: 0, ended: 0 };
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
      const isMeasured = window.bytes > 0 || window.ended > 0;
      const isOver = isMeasured && durationMs >= (long ? LONG_MS : windowMs());
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
    },
    /** A transfer is complete; an empty one counts, too. */
    ended: () => {
      window.bytes += 1;
      window.ended += 1;
    },
    failed: (code: ErrorCode) => {
      window.ended += 1;
      if (code === 'service.busy' || code === 'network.timeout') window.trouble = true;
    },
  };
}

export type LaneCount = ReturnType<typeof createLaneCount>;
