/** Forgets queued items, as if their files had never been found. Only items that the service cannot have are forgotten. */
import { integer } from '../rows.ts';
import type { Store } from '../store.ts';
import { dropTransfer } from '../tables/transfers.ts';
import { moveItem, type Reason } from '../transitions.ts';
import { queuedIds } from './waiting.ts';

/** A reason that applies only until the file is found again: see isSettled in pipeline/find/stability.ts. */
const FORGOTTEN: Reason = { code: 'item.stopped', detail: null };

/** Transfers of a destination from which nothing left: no byte in the last try, and no earlier try that may have arrived. */
function unsentTransfers(
  store: Store,
  destinationId: number,
): readonly { readonly id: number; readonly tried: boolean }[] {
  const sql = `SELECT id, attempts > 0 OR absent_at IS NOT NULL AS tried FROM transfers INDEXED BY transfers_line WHERE state IN ('planned', 'registered') AND doubtful = 0
         AND EXISTS (SELECT 1 FROM items WHERE items.transfer_id = transfers.id AND items.destination_id = ? AND items.state = 'planned')`;
  return store
    .all(sql, destinationId)
    .map((row) => ({ id: integer(row, 'id'), tried: integer(row, 'tried') === 1 }));
}

/**
 * Takes an item out of a transfer from which no byte left; the other items of the transfer are planned again. Does nothing and returns
 * false when a byte may have left.
 */
export function unplanItem(store: Store, itemId: number, now: number): boolean {
  const sql = `SELECT transfers.id FROM items JOIN transfers ON transfers.id = items.transfer_id
     WHERE items.id = ? AND items.state = 'planned' AND transfers.doubtful = 0
       AND transfers.state IN ('planned', 'registered')`;
  const row = store.get(sql, itemId);
  if (row === null) return false;
  dropTransfer(store, integer(row, 'id'), now);
  return true;
}

/**
 * Forgets the queued and planned items of a destination: a later check of such a file queues it again, for the batch that is right by then.
 * Items that are being sent, were sent, or may have been sent continue. Rows stay, so that an id never means another file.
 */
export function forgetUnsent(store: Store, destinationId: number, now: number): void {
  for (const { id, tried } of unsentTransfers(store, destinationId)) {
    // A name that was used in a try is kept: the service is asked about it before the file is sent again.
    if (!tried) {
      store.run(
        'UPDATE items SET batch_row = NULL, name = NULL, name_key = NULL WHERE transfer_id = ?',
        id,
      );
    }
    dropTransfer(store, id, now);
  }
  for (const id of queuedIds(store, destinationId)) {
    moveItem(store, id, 'skipped', now, FORGOTTEN);
    // Its duplicates no longer repeat anything that will be sent.
    const sql = `UPDATE items SET reason = ?1, detail = NULL, duplicate_of = NULL
       WHERE duplicate_of = ?2 AND state = 'skipped' AND reason = 'item.duplicate'`;
    store.run(sql, FORGOTTEN.code, id);
  }
}
