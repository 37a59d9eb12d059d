/** The time left, kept from jumping: it counts down from what was shown until that is clearly wrong. */

export interface SaidLeft {
  readonly leftMs: number;
  /** When it was shown, in epoch ms. */
  readonly at: number;
}

const TOLERATED = 0.25;
const TOLERATED_MS = 5_000;

/** What to show now, given what was shown before and the current estimate. Pure. */
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
