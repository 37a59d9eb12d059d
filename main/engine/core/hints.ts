/**
 * Webhooks as hints: steps that wait for the service ask it now instead of later. A hint never says how an upload or a job ended; a lost
 * hint only costs time.
 */
import type { Clock } from './ports.ts';

/** Something happened to a batch, or (null) to a job. */
export interface Hint {
  readonly batchId: string | null;
}

/** After this long without any hint, webhooks are assumed not to arrive, in ms. Our choice. */
const FRESH_MS = 30 * 60_000;

export function createHints(clock: Clock) {
  let lastAt: number | null = null;
  return {
    note: () => {
      lastAt = clock.monotonicMs();
    },
    /** True when a hint came within the last half hour; then polling may be slower. */
    arrive: () => lastAt !== null && clock.monotonicMs() - lastAt < FRESH_MS,
  };
}

export type Hints = ReturnType<typeof createHints>;
