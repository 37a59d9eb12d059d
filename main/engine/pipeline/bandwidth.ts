/**
 * One bound for the rate of all bodies of a line together. Bytes are handed on in small slices, and whoever waits gets
 * the next slice in turn, so that lanes share the rate fairly and the stream is smooth.
 */
import { sluiceError, SluiceFailure } from '../errors.ts';
import type { Clock } from '../ports.ts';

/** Hands on the chunks of a body as the bound allows; throws network.lost when the signal aborts meanwhile. */
export type Pace = (
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => AsyncIterable<Uint8Array>;

export interface Bandwidth {
  readonly pace: Pace;
  /** The bound may be another one now: it is asked for at once, instead of within half a second. */
  changed(): void;
}

/** How long an answer about the bound is believed, ms. */
const ASK_MS = 500;
/** What may be caught up on after a wait that took too long, ms of the rate: more than 5 % of 10 s would break the promise. */
const CATCH_UP_MS = 250;
/** A slice lasts about this long, ms, within its least and most bytes. */
const SLICE_MS = 20;
const SLICE_LEAST_BYTES = 256;
const SLICE_MOST_BYTES = 256 * 1024;

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

/** Bytes that one slice may have under a bound, bytes per second. */
function sliceBytes(cap: number): number {
  const wanted = Math.floor((cap * SLICE_MS) / 1000);
  return Math.min(SLICE_MOST_BYTES, Math.max(SLICE_LEAST_BYTES, wanted));
}

/** The tokens, one for each byte that may pass now; they grow with time. */
class Bucket {
  readonly #clock: Clock;
  readonly #askCap: () => number | null;
  #cap: number | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #tokens = 0;
  #filledAt: number;
  #waiting: Waiter[] = [];
  #pumping = false;
  #wake = new AbortController();

  constructor(clock: Clock, askCap: () => number | null) {
    this.#clock = clock;
    this.#askCap = askCap;
    this.#filledAt = clock.monotonicMs();
  }

  changed(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#wake.abort();
  }

  /** The bound now; null: none. */
  cap(): number | null {
    const now = this.#clock.monotonicMs();
    if (now - this.#askedAt >= ASK_MS) {
      this.#fill();
      this.#cap = this.#askCap();
      this.#askedAt = now;
    }
    return this.#cap;
  }

  /** Resolves when so many bytes may pass, at the latest when the signal aborts: then none are taken. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length === 0 && this.#pay(bytes)) return;
    await new Promise<void>((resolve) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve();
      };
      const go = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter: Waiter = { bytes, go };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      if (!this.#pumping) void this.#pump();
    });
  }

  #fill(): void {
    const now = this.#clock.monotonicMs();
    if (this.#cap !== null) {
      const most = Math.max((this.#cap * CATCH_UP_MS) / 1000, sliceBytes(this.#cap));
      const grown = this.#tokens + ((now - this.#filledAt) / 1000) * this.#cap;
      this.#tokens = Math.min(most, grown);
    }
    this.#filledAt = now;
  }

  #pay(bytes: number): boolean {
    const cap = this.cap();
    if (cap === null) return true;
    this.#fill();
    // A slice that was cut under a higher bound may be more than the bucket holds.
    if (this.#tokens < Math.min(bytes, sliceBytes(cap))) return false;
    this.#tokens -= bytes;
    return true;
  }

  /** Lets those who wait go on in turn; ends when nobody waits. */
  async #pump(): Promise<void> {
    this.#pumping = true;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#pay(first.bytes)) {
        this.#waiting.shift();
        first.go();
        continue;
      }
      const cap = this.#cap ?? 1;
      const missing = Math.min(first.bytes, sliceBytes(cap)) - this.#tokens;
      this.#wake = new AbortController();
      const ms = Math.min(ASK_MS, Math.max(1, (missing / cap) * 1000));
      await this.#clock.sleep(ms, this.#wake.signal);
    }
    this.#pumping = false;
  }
}

/**
 * Makes the bound of a line. `askCap` answers bytes per second, null for none; it is asked at most twice a second while
 * bytes move. Over any 10 s the rate stays within 5 % of the bound; without a bound chunks pass untouched.
 */
export function createBandwidth(clock: Clock, askCap: () => number | null): Bandwidth {
  const bucket = new Bucket(clock, askCap);
  async function* pace(
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const cap = bucket.cap();
        const end = cap === null ? chunk.length : Math.min(chunk.length, at + sliceBytes(cap));
        if (cap !== null) await bucket.take(end - at, signal);
        if (signal.aborted) {
          throw new SluiceFailure(sluiceError('network.lost', { stopped: true }));
        }
        yield at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end);
        at = end;
      }
    }
  }
  return { pace, changed: () => bucket.changed() };
}
