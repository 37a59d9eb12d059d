/** One rate limit for all bodies of a pipeline. Bytes pass in small slices and bodies take turns: a fair share, a smooth stream. */
import type { Clock, Throttle } from '../core/ports.ts';

/** How long the limit is cached, in ms. */
const ASK_MS = 500;
/**
 * How much may be caught up after an overlong wait, in ms of the rate: more than 5 % of 10 s would break the promise that the class makes.
 */
const CATCH_UP_MS = 250;
/** About how long a slice lasts, in ms, within its minimum and maximum bytes. */
const SLICE_MS = 20;
const SLICE_LEAST_BYTES = 64;
const SLICE_MOST_BYTES = 256 * 1024;

interface Waiter {
  /** How many bytes the waiting body wants to pass. */
  readonly bytes: number;
  /** Lets it pass `granted` of them. */
  readonly go: (granted: number) => void;
}

/** Size of one slice under a limit in bytes per second. */
function sliceBytes(cap: number): number {
  const wanted = Math.floor((cap * SLICE_MS) / 1000);
  return Math.min(SLICE_MOST_BYTES, Math.max(SLICE_LEAST_BYTES, wanted));
}

/**
 * The rate limit of a pipeline: a token bucket with one token for each byte that may pass now. Over any 10 s the rate stays within 5 % of
 * the limit; without a limit, chunks pass unchanged.
 */
export class Bandwidth implements Throttle {
  readonly #clock: Clock;
  readonly #askCap: () => number | null;
  #cap: number | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #tokens = 0;
  #filledAt: number;
  #waiting: Waiter[] = [];
  #pumping = false;

  /** `askCap` returns bytes per second, null for no limit; it is called at most twice a second while bytes move. */
  constructor(clock: Clock, askCap: () => number | null) {
    this.#clock = clock;
    this.#askCap = askCap;
    this.#filledAt = clock.monotonicMs();
  }

  isBound(): boolean {
    return this.#currentCap() !== null;
  }

  /** The current limit in bytes per second; null when there is none. */
  #currentCap(): number | null {
    const now = this.#clock.monotonicMs();
    if (now - this.#askedAt >= ASK_MS) {
      this.#fill();
      this.#cap = this.#askCap();
      this.#askedAt = now;
    }
    return this.#cap;
  }

  /** Waits for its turn. Returns how many of the bytes may pass now; 0, without taking a token, when the signal aborts. */
  take(bytes: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) return Promise.resolve(0);
    const granted = this.#waiting.length === 0 ? this.#pay(bytes) : 0;
    if (granted > 0) return Promise.resolve(granted);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve(0);
      };
      const waiter: Waiter = {
        bytes,
        go: (count) => {
          signal.removeEventListener('abort', onAbort);
          resolve(count);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      if (!this.#pumping) void this.#pump();
    });
  }

  #fill(): void {
    const now = this.#clock.monotonicMs();
    if (this.#cap !== null) {
      const most = (this.#cap * CATCH_UP_MS) / 1000 + sliceBytes(this.#cap);
      const grown = this.#tokens + ((now - this.#filledAt) / 1000) * this.#cap;
      this.#tokens = Math.min(most, grown);
    }
    this.#filledAt = now;
  }

  /** Takes the tokens of one slice if there are enough. Returns its size, or 0. */
  #pay(bytes: number): number {
    const cap = this.#currentCap();
    if (cap === null) return bytes;
    this.#fill();
    const slice = Math.min(bytes, sliceBytes(cap));
    if (this.#tokens < slice) return 0;
    this.#tokens -= slice;
    return slice;
  }

  /** Serves the waiters in turn; ends when none are left. */
  async #pump(): Promise<void> {
    this.#pumping = true;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const granted = this.#pay(first.bytes);
      if (granted > 0) {
        this.#waiting.shift();
        first.go(granted);
        continue;
      }
      const cap = this.#cap ?? 1;
      const missing = Math.min(first.bytes, sliceBytes(cap)) - this.#tokens;
      const ms = Math.min(ASK_MS, Math.max(1, (missing / cap) * 1000));
      await this.#clock.sleep(ms);
    }
    this.#pumping = false;
  }
}
