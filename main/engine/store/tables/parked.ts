/** Items that are parked, on their way back into the pipeline. */
import { itemById } from './items.ts';
import { integer } from '../rows.ts';
import type { Store } from '../store.ts';
import { transferById } from './transfers.ts';
import { move, moveItem } from '../transitions.ts';

/** Queues a parked item again under the name it had; its parked transfer is given up. Nothing happens to any other. */
export function requeueParked(store: Store, id: number, now: number): void {
  const item = itemById(store, id);
  if (item?.state !== 'parked') return;
  moveItem(store, id, 'queued', now);
  const transfer = item.transferId === null ? null : transferById(store, item.transferId);
  if (transfer?.state === 'parked') move(store, 'transfers', transfer.id, 'dropped', now);
  store.run(
    'UPDATE items SET transfer_id = NULL, position = NULL, tries = tries + 1 WHERE id = ?',
    id,
  );
}

/**
 * Causes that lie with the service or the network, as a list of SQL. An unproven delivery is not sent again unasked, and a file
 * that the service refused (service.refused) waits for a person or for new content.
 */
const OF_THE_SERVICE = `((reason LIKE 'service.%' AND reason <> 'service.refused') OR reason LIKE 'network.%' OR reason LIKE 'net.%' OR reason LIKE 'auth.%'
  OR reason IN ('batch.conflict', 'upload.damaged'))`;

/**
 * Ids of items of a connection that are parked for the service's sake since before an instant (epoch ms by this
 * computer's clock); of one destination, or of all.
 */
export function parkedForService(
  store: Store,
  connectionId: number,
  destinationId: number | null,
  before: number,
): readonly number[] {
  return store
    .all(
      `SELECT items.id FROM items JOIN destinations ON destinations.id = items.destination_id
       WHERE items.state = 'parked' AND items.state_at <= ?3 AND destinations.connection_id = ?1
         AND (?2 IS NULL OR items.destination_id = ?2) AND ${OF_THE_SERVICE} ORDER BY items.id`,
      connectionId,
      destinationId,
      before,
    )
    .map((row) => integer(row, 'id'));
}
