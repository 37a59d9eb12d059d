/** Bytes per second of the last two minutes, one value per second. */

export interface Throughput {
  /** Notes how many bytes were sent since the start, at a monotonic instant in ms. */
  note(bytes: number, now: number): void;
  /** One value per second, oldest first, from the first second in which something was sent on; at most 120. */
  values(): readonly number[];
  /** The mean of the last seconds, bytes per second. */
  rate(): number;
  /** The mean of half a minute, for what must not jump: the time left. */
  steadyRate(): number;
}

const KEPT = 120;
const SECOND_MS = 1000;
const MEAN_OF = 5;
const STEADY_MEAN_OF = 30;

function meanOfLast(values: readonly number[], count: number): number {
  const last = values.slice(-count);
  return last.length === 0 ? 0 : Math.round(last.reduce((a, b) => a + b, 0) / last.length);
}

/** Makes an empty ring. Pure state. */
export function createThroughput(): Throughput {
  let ring: number[] = [];
  let begun: { readonly bytes: number; readonly at: number } | null = null;
  return {
    note: (bytes, now) => {
      begun ??= { bytes, at: now };
      const seconds = Math.floor((now - begun.at) / SECOND_MS);
      if (seconds < 1) return;
      // A line that was started anew counts from zero.
      const each = Math.max(0, bytes - begun.bytes) / seconds;
      const added = Array.from({ length: Math.min(seconds, KEPT) }, () => Math.round(each));
      ring = [...ring, ...added].slice(-KEPT);
      begun = { bytes, at: begun.at + seconds * SECOND_MS };
    },
    values: () => {
      const first = ring.findIndex((value) => value > 0);
      // At rest nothing changes from second to second, so nothing needs to be told to the window.
      return first < 0 ? [] : ring.slice(first);
    },
    rate: () => meanOfLast(ring, MEAN_OF),
    steadyRate: () => {
      const last = ring.slice(-STEADY_MEAN_OF);
      const from = last.findIndex((value) => value > 0);
      // The idle time before the first byte says nothing of how fast it goes.
      return from < 0 ? 0 : meanOfLast(last, last.length - from);
    },
  };
}
