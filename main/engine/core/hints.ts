/**
 * What webhooks tell, as hints: what waits for a batch or a job asks the service now instead of later. A hint never
 * says how something ended, and a lost one costs time only.
 */
import type { Clock } from './ports.ts';

/** Something happened to a batch or a job. */
export interface Hint {
  readonly kind: 'ingest' | 'files' | 'job';
  readonly batchId: string | null;
  readonly jobId: string | null;
}

/** Waiting that a hint about one job ends. */
export interface Bell {
  /** Resolves after the time, when a hint comes or came since the last wait, or when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** True while hints arrive: then asking may be slower. */
  arrive(): boolean;
}

export interface Hints {
  note(hint: Hint): void;
  /** True when a hint came within the last half hour. */
  arrive(): boolean;
  bellFor(jobId: string): Bell;
}

/** After this long without any hint, the way they come is taken for broken, ms. Ours. */
const FRESH_MS = 30 * 60_000;
/** Jobs that are waited for at the same time; the oldest bell is forgotten when more are asked for. */
const MAX_BELLS = 1000;

interface Rope {
  rung: boolean;
  pulled: AbortController;
}

/** Makes the memory of the hints of a pipeline. */
export function createHints(clock: Clock): Hints {
  const ropes = new Map<string, Rope>();
  let lastAt: number | null = null;
  const arrive = (): boolean => lastAt !== null && clock.monotonicMs() - lastAt < FRESH_MS;
  const ropeOf = (jobId: string): Rope => {
    const known = ropes.get(jobId);
    if (known !== undefined) return known;
    const oldest = ropes.keys().next().value;
    if (oldest !== undefined && ropes.size >= MAX_BELLS) ropes.delete(oldest);
    const made: Rope = { rung: false, pulled: new AbortController() };
    ropes.set(jobId, made);
    return made;
  };
  return {
    arrive,
    note: ({ jobId }) => {
      lastAt = clock.monotonicMs();
      const rope = jobId === null ? undefined : ropes.get(jobId);
      if (rope === undefined) return;
      rope.rung = true;
      rope.pulled.abort();
    },
    bellFor: (jobId) => {
      const rope = ropeOf(jobId);
      return {
        arrive,
        sleep: async (ms, signal) => {
          rope.pulled = new AbortController();
          if (!rope.rung) await clock.sleep(ms, AbortSignal.any([signal, rope.pulled.signal]));
          rope.rung = false;
        },
      };
    },
  };
}
