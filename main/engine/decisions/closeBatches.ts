/** Closes batches because a person asks for it: later files start a new one. */
import { ok, type Result } from '../core/errors.ts';
import type { Store } from '../store/store.ts';
import { namedBatch, sealBatch } from '../store/tables/batches.ts';
import type { ConnectionNow } from '../host/workingConnection.ts';

/** Closes a batch for new files. Error: usage.invalid for one that is not in the ledger. */
export function closeBatch(
  { store, connectionId, now }: ConnectionNow,
  batchId: string,
): Result<null> {
  const batch = namedBatch(store, connectionId, batchId);
  if (!batch.ok) return batch;
  store.transaction(() => sealBatch(store, batch.value.id, now));
  return ok(null);
}

/** Closes the open batches of a watch: later files start a new one, and jobs may start. */
export function closeBatchesOfWatch(store: Store, watchId: number, now: number): void {
  const ids = store.ids(`SELECT id FROM batches WHERE watch_id = ? AND state = 'open'`, watchId);
  store.transaction(() => {
    for (const id of ids) sealBatch(store, id, now);
  });
}
