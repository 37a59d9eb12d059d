/** Identified items that wait for a batch, a name and a transfer. */
import type { MediaKind } from '../../core/model.ts';
import { COLUMNS, type Item, toItem } from '../tables/items.ts';
import { integer, text } from '../rows.ts';
import type { Store } from '../store.ts';
import { moveItem, type Reason } from '../transitions.ts';

/**
 * Identified items of a destination, for one batch id that a rule chose or null, that have no transfer yet and
 * do not wait for a comparison; oldest first.
 */
export function itemsToPlan(
  store: Store,
  destinationId: number,
  baseId: string | null,
  kind: MediaKind,
  now: number,
  most: number,
): readonly Item[] {
  return store
    .all(
      `SELECT ${COLUMNS} FROM items
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS ? AND kind = ?
         AND retry_at <= ? ORDER BY id LIMIT ?`,
      destinationId,
      baseId,
      kind,
      now,
      most,
    )
    .map(toItem);
}

/** How many items of a kind a destination has, skipped ones aside; counts no further than `most`. */
export function countKind(
  store: Store,
  destinationId: number,
  baseId: string | null,
  kind: MediaKind,
  most: number,
): number {
  const row = store.get(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM items WHERE destination_id = ? AND base_id IS ? AND kind = ? AND state <> 'skipped' LIMIT ?)`,
    destinationId,
    baseId,
    kind,
    most,
  );
  return integer(row ?? {}, 'count');
}

/** Parks everything of a kind that waits for a batch. */
export function parkQueued(
  store: Store,
  destinationId: number,
  baseId: string | null,
  kind: MediaKind,
  reason: Reason,
  now: number,
): void {
  for (const item of itemsToPlan(store, destinationId, baseId, kind, Number.MAX_SAFE_INTEGER, -1)) {
    moveItem(store, item.id, 'parked', now, reason);
  }
}

/** A queued item that cannot be planned before it was compared with what the service has: not before this instant. */
export function postponePlanning(store: Store, id: number, at: number): void {
  store.run(
    `UPDATE items SET retry_at = ?, tries = tries + 1 WHERE id = ? AND state = 'queued'`,
    at,
    id,
  );
}

/** How many queued items of a destination are ready for a shard, and their bytes; counts no further than `most`. */
export function readySize(
  store: Store,
  destinationId: number,
  baseId: string | null,
  kind: MediaKind,
  now: number,
  most: number,
): { readonly count: number; readonly bytes: number } {
  const row = store.get(
    `SELECT count(*) AS count, coalesce(sum(size_bytes), 0) AS bytes FROM (
       SELECT size_bytes FROM items
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS ? AND kind = ?
         AND retry_at <= ? ORDER BY id LIMIT ?)`,
    destinationId,
    baseId,
    kind,
    now,
    most,
  );
  return { count: integer(row ?? {}, 'count'), bytes: integer(row ?? {}, 'bytes') };
}

/** Confirms a queued item that the service has already: there is nothing to send. False when it is not queued any more. */
export function confirmUnsent(
  store: Store,
  id: number,
  place: { batchRow: number; name: string; key: string },
  now: number,
): boolean {
  if (store.get('SELECT state FROM items WHERE id = ?', id)?.['state'] !== 'queued') return false;
  moveItem(store, id, 'confirmed', now);
  store.run(
    'UPDATE items SET batch_row = ?, name = ?, name_key = ? WHERE id = ?',
    place.batchRow,
    place.name,
    place.key,
    id,
  );
  return true;
}

/** Items that wait for a rule to choose their batch. */
export function itemsWithoutBase(
  store: Store,
  destinationId: number,
  most: number,
): readonly Item[] {
  return store
    .all(
      `SELECT ${COLUMNS} FROM items INDEXED BY items_planning
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS NULL ORDER BY id LIMIT ?`,
      destinationId,
      most,
    )
    .map(toItem);
}

/** The batch ids that queued items of a destination were given, oldest item first. */
export function waitingBases(store: Store, destinationId: number): readonly string[] {
  return store
    .all(
      `SELECT base_id, min(id) AS first FROM items INDEXED BY items_planning
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS NOT NULL
       GROUP BY base_id ORDER BY first`,
      destinationId,
    )
    .map((row) => text(row, 'base_id'));
}

/** Ids of the items of a destination that wait in the queue. */
export function queuedIds(store: Store, destinationId: number): readonly number[] {
  return store
    .all(`SELECT id FROM items WHERE state = 'queued' AND destination_id = ?`, destinationId)
    .map((row) => integer(row, 'id'));
}
