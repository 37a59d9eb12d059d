/** User settings that a running pipeline follows: rate, order, pause. Stored in the ledger. */
import { z } from 'zod';
import { fail, ok, type Result } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { capOf, type EngineSettings, readEngineSettings } from '../settings/engineSettings.ts';
import { batchByServiceId, pauseBatch } from '../store/tables/batches.ts';
import type { Store } from '../store/store.ts';

/** Key of the note that says whether everything is paused. */
const PAUSED_NOTE = 'paused';
/** Minimum interval between reads of the ledger, in ms: another program may change it. */
const FRESH_MS = 500;

export function isPaused(store: Store): boolean {
  return readValue(store, PAUSED_NOTE, () => z.boolean()) ?? false;
}

/** Pauses or resumes everything; the program that owns the ledger notices within seconds. */
export function pauseAll(store: Store, paused: boolean): void {
  writeValue(store, PAUSED_NOTE, paused);
}

/** Pauses or resumes one batch. Error: service.notFound for a batch that is not in this ledger. */
export function pauseOneBatch(
  store: Store,
  connectionId: number,
  batchId: string,
  paused: boolean,
): Result<void> {
  const batch = batchByServiceId(store, connectionId, batchId);
  if (batch === null)
    return fail('service.notFound', { sentence: `The ledger has no batch ${batchId}.` });
  store.transaction(() => pauseBatch(store, batch.id, paused));
  return ok(undefined);
}

/** Follows the current settings of a ledger; another program may change them. */
export function createLiveSettings(store: Store, clock: Clock) {
  const read = () => ({ settings: readEngineSettings(store), paused: isPaused(store) });
  let readAt = Number.NEGATIVE_INFINITY;
  let last = read();
  const fresh = (): typeof last => {
    if (clock.monotonicMs() - readAt >= FRESH_MS) {
      readAt = clock.monotonicMs();
      last = read();
    }
    return last;
  };
  return {
    settings: (): EngineSettings => fresh().settings,
    paused: () => fresh().paused,
    /** The limit now, in bytes per second; null for none. */
    cap: () => capOf(fresh().settings.bandwidth, clock.now()),
    /** Call after changing them here: the next access rereads them. */
    refresh: () => {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The settings and the pause, reread when they are older than half a second. */
export type LiveSettings = ReturnType<typeof createLiveSettings>;
