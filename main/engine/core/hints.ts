/**
 * What webhooks say, as hints: what waits for a batch or a job asks the service now instead of later. A hint never
 * says how something ended, and a lost one costs time only.
 */
import type { Clock } from './ports.ts';

/** Something happened to a batch or a job. */
export interface Hint {
  readonly kind: 'ingest' | 'files' | 'job';
  readonly batchId: string | null;
  readonly jobId: string | null;
}

export interface Hints {
  note(): void;
  /** True when a hint came within the last half hour: then asking may be slower. */
  arrive(): boolean;
}

/** After this long without any hint, the way they come is taken for broken, ms. Ours. */
const FRESH_MS = 30 * 60_000;

/** Makes the memory of when a pipeline last got a hint. */
export function createHints(clock: Clock): Hints {
  let lastAt: number | null = null;
  return {
    note: () => {
      lastAt = clock.monotonicMs();
    },
    arrive: () => lastAt !== null && clock.monotonicMs() - lastAt < FRESH_MS,
  };
}
