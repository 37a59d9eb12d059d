/** A person's decisions about what is parked: try again, or treat as delivered. */
import { integer } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { forgetContent, type Item, itemById } from './store/items.ts';
import { transferById } from './store/transfers.ts';
import { move, moveItem } from './store/transitions.ts';

/** Items that are parked, all of them or the one with this id. */
export function parkedItems(store: Store, id: number | null): readonly Item[] {
  const rows =
    id === null
      ? store.all(`SELECT id FROM items WHERE state = 'parked' ORDER BY id`)
      : store.all(`SELECT id FROM items WHERE state = 'parked' AND id = ?`, id);
  return rows.flatMap((row) => itemById(store, integer(row, 'id')) ?? []);
}

function releaseTransfer(store: Store, item: Item, now: number): void {
  if (item.transferId === null) return;
  const transfer = transferById(store, item.transferId);
  if (transfer?.state === 'parked') move(store, 'transfers', transfer.id, 'dropped', now);
  store.run('UPDATE items SET transfer_id = NULL, position = NULL WHERE id = ?', item.id);
}

/** Causes that lie with the service: the file itself is as it was. */
const WITH_THE_SERVICE = /^(upload|shard|batch|service|auth|network|net)\.|^item\.rejected$/;

/**
 * Queues parked items again, under the names they had. Files whose own state was the cause are looked at anew; the
 * others are asked for at the service by name before they are sent (see pipeline/adopt.ts).
 */
export function retryItems(store: Store, items: readonly Item[], now: number): void {
  for (const item of items) {
    moveItem(store, item.id, 'queued', now);
    releaseTransfer(store, item, now);
    store.run('UPDATE items SET tries = tries + 1 WHERE id = ?', item.id);
    if (item.fingerprint === null || !WITH_THE_SERVICE.test(item.reason ?? '')) {
      forgetContent(store, item.id, 0);
    }
  }
}

/** Believes that items arrived whose delivery cannot be proved. */
export function treatAsDelivered(store: Store, items: readonly Item[], now: number): void {
  for (const item of items) {
    if (item.reason !== 'upload.unproven') continue;
    moveItem(store, item.id, 'confirmed', now);
    releaseTransfer(store, item, now);
  }
}
