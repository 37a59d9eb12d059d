/** Puts parked items back into the pipeline. */
import { FILE_TRIED_AGAIN } from '../../evidence/causes.ts';
import { type Item, itemById } from './items.ts';
import { noteProof } from '../queue/awaited.ts';
import { integer } from '../rows.ts';
import type { Store } from '../store.ts';
import { transferById } from './transfers.ts';
import { move, moveItem } from '../transitions.ts';

/** Takes an item out of its transfer; a parked transfer is dropped. */
export function releaseTransfer(store: Store, item: Item, now: number): void {
  if (item.transferId === null) return;
  const transfer = transferById(store, item.transferId);
  if (transfer?.state === 'parked') move(store, 'transfers', transfer.id, 'dropped', now);
  store.run('UPDATE items SET transfer_id = NULL, position = NULL WHERE id = ?', item.id);
}

/** Queues an item again under the name it had. */
export function requeueItem(store: Store, item: Item, now: number): void {
  moveItem(store, item.id, 'queued', now);
  releaseTransfer(store, item, now);
  store.run('UPDATE items SET tries = tries + 1 WHERE id = ?', item.id);
}

/** The same, but only if the item is parked. */
export function requeueParked(store: Store, id: number, now: number): void {
  const item = itemById(store, id);
  if (item?.state === 'parked') requeueItem(store, item, now);
}

/**
 * Ids of items of a connection that have been parked because of the service since before a time (epoch ms by this computer's
 * clock), in one destination or in all.
 */
export function parkedForService(
  store: Store,
  connectionId: number,
  destinationId: number | null,
  before: number,
): readonly number[] {
  const sql = `SELECT items.id FROM items INDEXED BY items_parked JOIN destinations ON destinations.id = items.destination_id
     WHERE items.state = 'parked' AND items.state_at <= ?3 AND destinations.connection_id = ?1
       AND (?2 IS NULL OR items.destination_id = ?2) AND reason IN (SELECT value FROM json_each(?4)) ORDER BY items.id`;
  return store.ids(sql, connectionId, destinationId, before, FILE_TRIED_AGAIN);
}

/**
 * Files whose delivery was never proved, parked at the time `before` (epoch ms by this computer's clock) or earlier, by the row of their
 * batch, in one destination or in all. Expired batches are left out.
 */
export function unprovenIn(
  store: Store,
  connectionId: number,
  destinationId: number | null,
  before: number,
): ReadonlyMap<number, ReadonlySet<number>> {
  const sql = `SELECT items.id, items.batch_row FROM items INDEXED BY items_parked
       JOIN destinations ON destinations.id = items.destination_id JOIN batches ON batches.id = items.batch_row
     WHERE items.state = 'parked' AND items.reason = 'upload.unproven' AND items.state_at <= ?3
       AND destinations.connection_id = ?1 AND (?2 IS NULL OR items.destination_id = ?2) AND batches.state <> 'expired'`;
  const rows = store.all(sql, connectionId, destinationId, before);
  const byBatch = Map.groupBy(rows, (row) => integer(row, 'batch_row'));
  return new Map(
    [...byBatch].map(([row, of]) => [row, new Set(of.map((item) => integer(item, 'id')))]),
  );
}

/** Confirms a file whose delivery was never proved: the service has it, or a person says so. Leaves any other item unchanged. */
export function confirmParked(
  store: Store,
  id: number,
  proof: 'checksum' | 'content' | null,
  now: number,
): void {
  const item = itemById(store, id);
  if (item?.state !== 'parked' || item.reason !== 'upload.unproven') return;
  moveItem(store, id, 'confirmed', now);
  releaseTransfer(store, item, now);
  if (proof !== null) noteProof(store, id, proof);
}
