/** The owner's sign of life: it bounds when the last byte can have left, should the owner die. */
import type { Clock } from './ports.ts';
import { writeMeta } from './store/meta.ts';
import type { Store } from './store/store.ts';

/** Pause between two signs of life, ms. */
export const HEARTBEAT_MS = 5_000;

/** Writes signs of life until the signal aborts. Rejects when the ledger cannot be written. */
export async function beat(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await store.soon(() => store.unmarked(() => writeMeta(store, 'aliveAt', String(clock.now()))));
    await clock.sleep(HEARTBEAT_MS, signal);
  }
}
