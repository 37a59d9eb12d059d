/** User settings that a running pipeline follows: rate, order, pause. Kept in the ledger. */
import { z } from 'zod';
import { fail, ok, type Result } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { LineOptions } from './connectionRunner.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { capOf, readEngineSettings } from '../settings/engineSettings.ts';
import { batchByServiceId, pauseBatch } from '../store/tables/batches.ts';
import type { Store } from '../store/store.ts';

/** The note that says whether everything is paused. */
const PAUSED_NOTE = 'paused';
/** The ledger is asked at most so often, ms: another program may have changed it. */
const FRESH_MS = 500;

/** True while everything is paused. */
export function isPaused(store: Store): boolean {
  return readValue(store, PAUSED_NOTE, z.boolean()) ?? false;
}

/** Pauses or resumes everything; the program that owns the ledger notices within seconds. */
export function pauseAll(store: Store, paused: boolean): void {
  writeValue(store, PAUSED_NOTE, paused);
}

/** Pauses or resumes one batch. Error: service.notFound for a batch that this ledger does not know. */
export function pauseOneBatch(
  store: Store,
  connectionId: number,
  batchId: string,
  paused: boolean,
): Result<void> {
  const batch = batchByServiceId(store, connectionId, batchId);
  if (batch === null) return fail('service.notFound', { batch: batchId });
  store.transaction(() => pauseBatch(store, batch.id, paused));
  return ok(undefined);
}

/** The part of a pipeline's options that follows what the ledger says, while the pipeline runs. */
export function runnerOptions(
  store: Store,
  clock: Clock,
): Pick<LineOptions, 'bounds' | 'capBytesPerSecond' | 'capDownloads' | 'order' | 'heldBack'> {
  let readAt = Number.NEGATIVE_INFINITY;
  let wishes = { settings: readEngineSettings(store), paused: isPaused(store) };
  const fresh = (): typeof wishes => {
    if (clock.monotonicMs() - readAt >= FRESH_MS) {
      readAt = clock.monotonicMs();
      wishes = { settings: readEngineSettings(store), paused: isPaused(store) };
    }
    return wishes;
  };
  return {
    bounds: {
      least: 1,
      get most() {
        return fresh().settings.lanesMost;
      },
    },
    capBytesPerSecond: () => capOf(fresh().settings.bandwidth, clock.now()),
    capDownloads: true,
    order: () => fresh().settings.order,
    heldBack: () => fresh().paused,
  };
}
