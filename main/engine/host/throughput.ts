/** Bytes per second of the last two minutes, one value per second. */

const MAX_SECONDS = 120;
const SECOND_MS = 1000;
const RATE_SECONDS = 5;
const STEADY_RATE_SECONDS = 30;

function meanOfLast(values: readonly number[], count: number): number {
  const last = values.slice(-count);
  return last.length === 0 ? 0 : Math.round(last.reduce((a, b) => a + b, 0) / last.length);
}

/** Creates an empty ring. Pure state. */
export function createThroughput() {
  let ring: number[] = [];
  let since: { readonly bytes: number; readonly at: number } | null = null;
  return {
    /** Records the total number of bytes sent since the start; `now` is monotonic ms. */
    record: (bytes: number, now: number) => {
      since ??= { bytes, at: now };
      const seconds = Math.floor((now - since.at) / SECOND_MS);
      if (seconds < 1) return;
      // A restarted connection counts from zero.
      const each = Math.max(0, bytes - since.bytes) / seconds;
      const added = Array.from({ length: Math.min(seconds, MAX_SECONDS) }, () => Math.round(each));
      ring = [...ring, ...added].slice(-MAX_SECONDS);
      since = { bytes, at: since.at + seconds * SECOND_MS };
    },
    /** One value per second, oldest first, beginning with the first second in which something was sent; at most 120. */
    values: (): readonly number[] => {
      const first = ring.findIndex((value) => value > 0);
      // While nothing has been sent, the list stays empty so that the snapshot does not change every second.
      return first < 0 ? [] : ring.slice(first);
    },
    rate: () => meanOfLast(ring, RATE_SECONDS),
    /** The mean of the last half minute, for figures that must not jump, such as the time left. */
    steadyRate: () => {
      const last = ring.slice(-STEADY_RATE_SECONDS);
      const from = last.findIndex((value) => value > 0);
      // The idle time before the first byte says nothing about the speed.
      return from < 0 ? 0 : meanOfLast(last, last.length - from);
    },
  };
}

export type Throughput = ReturnType<typeof createThroughput>;

/** A mean rate, at most the limit: bytes that were sent before the limit was set would keep the mean above it for seconds. */
export function limited(rate: number, cap: number | null): number {
  return cap === null ? rate : Math.min(rate, cap);
}

/** How long the remaining bytes take, in ms rounded to whole seconds; null when there is nothing to send or nothing moves. */
export function leftMs(bytes: number, rate: number): number | null {
  return bytes === 0 || rate === 0 ? null : Math.round(bytes / rate) * 1000;
}
