/** How much of each running transfer has been sent, and whether it is making progress. */

/** How many transfers are remembered: more than ever run at the same time. */
const KEPT = 128;
/**
 * Bytes count as progress only in a try that has lasted this long, in ms: a shorter try shows its progress by ending. Our choice: short
 * compared to the patience of a command, long compared to a try that fails.
 */
const LONG_TRY_MS = 60_000;
/** After this many tries in a row that got no further than earlier ones, repeating the same bytes is no progress. Our choice. */
const REPEATS = 5;

interface Sent {
  readonly bytes: number;
  /** When the current try began, monotonic ms. */
  readonly since: number;
  /** The most bytes of an earlier try. */
  readonly furthest: number;
  /** Earlier tries in a row that got no further. */
  readonly repeats: number;
}

/** The state after `bytes` of a try were sent. Within one try, bytes only grow; fewer bytes mean a new try. Pure. */
function after(before: Sent | undefined, bytes: number, now: number): Sent {
  if (before === undefined) return { bytes, since: now, furthest: 0, repeats: 0 };
  if (bytes > before.bytes) return { ...before, bytes };
  const repeats = before.bytes > before.furthest ? 0 : before.repeats + 1;
  return { bytes, since: now, furthest: Math.max(before.furthest, before.bytes), repeats };
}

/** Creates an empty meter; the oldest transfers are dropped. Pure state. */
export function createSentMeter() {
  const sent = new Map<number, Sent>();
  return {
    /**
     * Records how many bytes of a transfer's body were handed to the network in its current try, at `now` (monotonic ms). Returns true when
     * the transfer makes progress, false when it only repeats what failed before.
     */
    note: (id: number, bytes: number, now: number): boolean => {
      const oldest = sent.keys().next().value;
      if (oldest !== undefined && sent.size >= KEPT && !sent.has(id)) sent.delete(oldest);
      const state = after(sent.get(id), bytes, now);
      sent.set(id, state);
      const { since, furthest, repeats } = state;
      return now - since >= LONG_TRY_MS && (repeats < REPEATS || bytes > furthest);
    },
    /** 0 for an unknown transfer. */
    of: (id: number) => sent.get(id)?.bytes ?? 0,
  };
}

export type SentMeter = ReturnType<typeof createSentMeter>;
