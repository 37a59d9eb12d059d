/**
 * How many transfers or downloads run at once: adds lanes while throughput grows, and halves them on 429, 503 or timeout. Pure:
 * derives the next state from the current one and what happened in the last window.
 */

export interface LaneBounds {
  readonly least: number;
  readonly most: number;
}

export interface Lanes {
  readonly allowed: number;
  /** Best rate seen with fewer lanes, bytes per ms. */
  readonly bestRate: number;
  /** Windows to wait before growing again. */
  readonly rest: number;
  /** Nothing has limited the rate yet: the number is doubled rather than increased step by step. */
  readonly early: boolean;
}

export interface Window {
  readonly bytes: number;
  readonly durationMs: number;
  /** Every allowed lane was in use the whole time. */
  readonly full: boolean;
  /** A 429, a 503 or a timeout occurred. */
  readonly trouble: boolean;
}

/** Adding lanes must improve the rate by at least this factor, otherwise the last step is undone. */
const WORTH_IT = 1.03;
const STEP = 2;
const EARLY_FACTOR = 2;
const REST_AFTER_TROUBLE = 10;
const REST_AFTER_LOSS = 4;

/** The initial state, within the bounds. */
export function startLanes(start: number, bounds: LaneBounds): Lanes {
  return {
    allowed: Math.min(bounds.most, Math.max(bounds.least, start)),
    bestRate: 0,
    rest: 0,
    early: true,
  };
}

/** The next state after a window of time. */
export function adaptLanes(lanes: Lanes, window: Window, bounds: LaneBounds): Lanes {
  const clamp = (count: number): number =>
    Math.min(bounds.most, Math.max(bounds.least, Math.floor(count)));
  if (window.trouble) {
    const allowed = clamp(lanes.allowed / 2);
    return { allowed, bestRate: 0, rest: REST_AFTER_TROUBLE, early: false };
  }
  if (!window.full || window.durationMs <= 0) return { ...lanes, allowed: clamp(lanes.allowed) };
  const rate = window.bytes / window.durationMs;
  if (lanes.rest > 0) {
    return { ...lanes, allowed: clamp(lanes.allowed), rest: lanes.rest - 1 };
  }
  if (rate > lanes.bestRate * WORTH_IT) {
    const more = clamp(lanes.early ? lanes.allowed * EARLY_FACTOR : lanes.allowed + STEP);
    // At the most, there is no step whose gain could be measured.
    return { ...lanes, allowed: more, bestRate: more === lanes.allowed ? 0 : rate };
  }
  // The last step gained nothing: undo it, and try again later with a fresh measurement.
  const less = lanes.early ? lanes.allowed / EARLY_FACTOR : lanes.allowed - 1;
  return { allowed: clamp(less), bestRate: 0, rest: REST_AFTER_LOSS, early: false };
}
