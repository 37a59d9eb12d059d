/** Closes batches because a person asks for it: later files start a new one. */
import type { Result } from '../core/errors.ts';
import type { Store } from '../store/store.ts';
import { changeNamedBatch, sealBatch } from '../store/tables/batches.ts';
import type { ConnectionNow } from '../host/workingConnection.ts';

/** Closes a batch for new files. Error: usage.invalid for one that is not in the ledger. */
export function closeBatch(of: ConnectionNow, batchId: string): Result<null> {
  return changeNamedBatch(of, batchId, (row) => sealBatch(of.store, row, of.now));
}

/** Closes the open batches of a watch: later files start a new one, and jobs may start. */
export function closeBatchesOfWatch(store: Store, watchId: number, now: number): void {
  const ids = store.ids(`SELECT id FROM batches WHERE watch_id = ? AND state = 'open'`, watchId);
  store.transaction(() => {
    for (const id of ids) sealBatch(store, id, now);
  });
}
