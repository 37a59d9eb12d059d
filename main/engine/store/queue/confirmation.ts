/** What waits for confirmation by the service, for the step confirm. */
import { ITEM_STATES, type ItemState } from '../../core/model.ts';
import { integer, integerOrNull, oneOf } from '../rows.ts';
import type { Store } from '../store.ts';
import { transferById } from '../tables/transfers.ts';
import { move, moveItem, moveTransfers } from '../transitions.ts';
import type { ListedItem } from './awaited.ts';

export type BatchTally = Readonly<Record<ItemState, number>>;

const NONE: BatchTally = {
  queued: 0,
  planned: 0,
  sending: 0,
  sent: 0,
  unknown: 0,
  confirmed: 0,
  skipped: 0,
  parked: 0,
};

/** Reads a few rows, however large the batch is: the ledger counts items as they move (migration 14). */
export function tallyBatch(store: Store, batchRow: number): BatchTally {
  const tally = { ...NONE };
  const sql =
    'SELECT state, sum(count) AS count FROM batch_counts WHERE batch_row = ? GROUP BY state';
  for (const row of store.all(sql, batchRow))
    tally[oneOf(row, 'state', ITEM_STATES)] = integer(row, 'count');
  return tally;
}

/** True while an item of the batch is being sent, or it is not known whether it arrived. Quick, however large the batch is. */
export function somethingOnItsWay(store: Store, batchRow: number): boolean {
  const sql = `SELECT 1 FROM batch_counts WHERE batch_row = ? AND state IN ('sending', 'unknown') AND count > 0 LIMIT 1`;
  return store.has(sql, batchRow);
}

/** True while items wait to be sent to a batch, or may still be planned for it. Quick, however many there are. */
export function moreToSend(store: Store, batchRow: number): boolean {
  const sql = `SELECT 1 FROM batches JOIN batch_counts AS own ON own.batch_row = batches.id
       JOIN item_counts ON item_counts.destination_id = own.destination_id
     WHERE batches.id = ? AND ((own.state = 'planned' AND own.count > 0)
       OR (batches.state = 'open' AND item_counts.state = 'queued' AND item_counts.count > 0)) LIMIT 1`;
  return store.has(sql, batchRow);
}

/** The longest measured lag among the lists that must still show something, in ms; null when none was measured. */
export function slowestLag(store: Store, connectionId: number): number | null {
  const sql = `SELECT max(lag_ms) AS lag FROM batches WHERE connection_id = ? AND EXISTS (
       SELECT 1 FROM transfers WHERE batch_row = batches.id AND transfers.state IN ('sent', 'unknown'))`;
  return store.one((row) => integerOrNull(row, 'lag'), sql, connectionId);
}

/** Confirms the sent transfers of a batch that have no unconfirmed member left. */
export function closeTransfers(store: Store, batchRow: number, now: number): void {
  const sql = `SELECT id FROM transfers WHERE batch_row = ? AND state = 'sent'
       AND NOT EXISTS (SELECT 1 FROM items WHERE items.transfer_id = transfers.id AND items.state = 'sent')`;
  const ids = store.ids(sql, batchRow);
  moveTransfers(store, ids, 'confirmed', now);
}

/** Makes a confirmed item of a transfer wait for the list again. Returns false if it has no transfer that is sent or confirmed. */
export function awaitAgain(
  store: Store,
  { itemId, transferId }: Pick<ListedItem, 'itemId' | 'transferId'>,
  now: number,
): boolean {
  const transfer = transferById(store, transferId ?? 0);
  if (transfer?.state === 'confirmed') move(store, 'transfers', transfer.id, 'sent', now);
  else if (transfer?.state !== 'sent') return false;
  moveItem(store, itemId, 'sent', now);
  return true;
}

/**
 * True while a body is being sent to a batch, or was accepted after this time (engine time): it may exist without being listed
 * yet. Quick, however large the batch is.
 * @param withDoubtful also count a body that may have been accepted
 */
export function mayBeUnlisted(
  store: Store,
  batchRow: number,
  since: number,
  withDoubtful: boolean,
): boolean {
  const sql = `SELECT 1 FROM transfers WHERE batch_row = ?1 AND (state = 'sending'
       OR (state = 'sent' AND sent_at > ?2) OR (?3 = 1 AND state = 'unknown' AND last_byte_at > ?2)) LIMIT 1`;
  return store.has(sql, batchRow, since, withDoubtful);
}

/**
 * True when the service should know a batch: something was listed there, or was accepted after this time (engine time). Files that are only
 * doubtful may never have arrived. Quick, however large the batch is.
 */
export function mustBeKnown(store: Store, batchRow: number, takenSince: number): boolean {
  const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM batch_counts WHERE batch_row = ?1 AND state = 'confirmed' AND count > 0)
       OR EXISTS (SELECT 1 FROM transfers WHERE batch_row = ?1 AND state = 'sent' AND sent_at > ?2)`;
  return store.has(sql, batchRow, takenSince);
}
