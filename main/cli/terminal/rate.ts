/** A rate averaged over a few seconds, so that it can be read, and the time that is left at it. Pure state. */

const WINDOW_MS = 5_000;

export interface RateMeter {
  /** Notes the total at an instant (monotonic ms) and answers bytes per second. */
  note(total: number, nowMs: number): number;
}

/** Makes a meter. */
export function createRateMeter(): RateMeter {
  let points: { at: number; total: number }[] = [];
  return {
    note: (total, nowMs) => {
      points.push({ at: nowMs, total });
      const from = nowMs - WINDOW_MS;
      while (points.length > 2 && (points[1]?.at ?? nowMs) < from) points = points.slice(1);
      const first = points[0];
      if (first === undefined || nowMs <= first.at) return 0;
      return ((total - first.total) / (nowMs - first.at)) * 1000;
    },
  };
}
