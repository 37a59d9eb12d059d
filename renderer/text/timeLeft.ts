/** The time left, kept from jumping: it counts down as announced until the announcement is clearly wrong. */

/** What was said last. */
export interface SaidLeft {
  readonly leftMs: number;
  /** When it was said, epoch ms. */
  readonly at: number;
}

const TOLERATED = 0.25;
const TOLERATED_MS = 5_000;

/** What to say now, given what was said before and what is estimated now. Pure. */
export function steadyLeft(
  said: SaidLeft | null,
  leftMs: number | null,
  at: number,
): SaidLeft | null {
  if (leftMs === null) return null;
  if (said === null || at < said.at) return { leftMs, at };
  const expected = said.leftMs - (at - said.at);
  const off = Math.abs(leftMs - expected);
  return off <= Math.max(TOLERATED_MS, leftMs * TOLERATED)
    ? { leftMs: Math.max(0, expected), at }
    : { leftMs, at };
}
