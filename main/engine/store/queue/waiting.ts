/** Identified items that wait for a batch, a name and a transfer. */
import type { MediaKind } from '../../core/model.ts';
import { COLUMNS, type ContentPlace, type Item, readFingerprint, toItem } from '../tables/items.ts';
import { integer, integerOrNull, text, textOrNull, type Row } from '../rows.ts';
import type { Store } from '../store.ts';
import { moveItem, type Reason } from '../transitions.ts';

function toWaiting(row: Row) {
  const absentAt = integerOrNull(row, 'lost_absent_at');
  return {
    id: integer(row, 'id'),
    path: text(row, 'path'),
    relativePath: text(row, 'relative_path'),
    sizeBytes: integer(row, 'size_bytes'),
    fingerprint: readFingerprint(row),
    batchRow: integerOrNull(row, 'batch_row'),
    name: textOrNull(row, 'name'),
    tries: integer(row, 'tries'),
    /** Set when the item was sent before, and a list proved that the service does not have it; null otherwise. */
    lost: absentAt === null ? null : { absentAt, lastByteAt: integer(row, 'lost_byte_at') },
  };
}

/** The facts that planning needs of an item, and no more: there may be a million items. */
export type WaitingItem = Readonly<ReturnType<typeof toWaiting>>;

/**
 * A group of items that wait together: identified items of one destination and kind, for one batch id that a rule chose (null: no rule
 * did).
 */
export interface Waiting extends ContentPlace {
  readonly kind: MediaKind;
}

/** Rows of ?1 to ?3 without a transfer that, at ?4, do not wait for a comparison. */
const WAITING = `state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ?1 AND base_id IS ?2 AND kind = ?3
  AND retry_at <= ?4`;

/** Items without a transfer that do not wait for a comparison, oldest first. */
export function itemsToPlan(
  store: Store,
  { destinationId, baseId, kind }: Waiting,
  now: number,
  most: number,
): readonly WaitingItem[] {
  const sql = `SELECT id, path, relative_path, size_bytes, fingerprint, batch_row, name, tries, lost_absent_at, lost_byte_at FROM items
       WHERE ${WAITING} ORDER BY id LIMIT ?5`;
  return store.list(toWaiting, sql, destinationId, baseId, kind, now, most);
}

/** True when there are any such items. */
export function hasToPlan(
  store: Store,
  { destinationId, baseId, kind }: Waiting,
  now: number,
): boolean {
  const sql = `SELECT 1 FROM items WHERE ${WAITING} LIMIT 1`;
  return store.has(sql, destinationId, baseId, kind, now);
}

/** True when a waiting item was sent to the batch before: the batch may have it. */
export function hasReturned(store: Store, batchRow: number): boolean {
  const sql = `SELECT 1 FROM items WHERE batch_row = ? AND state = 'queued' AND name IS NOT NULL
       AND (tries > 0 OR lost_absent_at IS NOT NULL) LIMIT 1`;
  return store.has(sql, batchRow);
}

/** How many items of a kind a destination has, except skipped ones; counts no further than `most`. */
export function countKind(
  store: Store,
  { destinationId, baseId, kind }: Waiting,
  most: number,
): number {
  const sql = `SELECT count(*) AS count FROM (
       SELECT 1 FROM items WHERE destination_id = ? AND base_id IS ? AND kind = ? AND state <> 'skipped' LIMIT ?)`;
  return store.count(sql, destinationId, baseId, kind, most);
}

export function parkQueued(store: Store, waiting: Waiting, reason: Reason, now: number): void {
  for (const item of itemsToPlan(store, waiting, Number.MAX_SAFE_INTEGER, -1)) {
    moveItem(store, item.id, 'parked', now, reason);
  }
}

/** Postpones planning an item until `at`: it must first be compared with what the service has. */
export function postponePlanning(store: Store, id: number, at: number): void {
  const sql = `UPDATE items SET retry_at = ?, tries = tries + 1 WHERE id = ? AND state = 'queued'`;
  store.run(sql, at, id);
}

/** How many items are ready for a shard, and their bytes; counts no further than `most`. */
export function readySize(
  store: Store,
  { destinationId, baseId, kind }: Waiting,
  now: number,
  most: number,
): { readonly count: number; readonly bytes: number } {
  const sql = `SELECT count(*) AS count, coalesce(sum(size_bytes), 0) AS bytes FROM (
       SELECT size_bytes FROM items WHERE ${WAITING} ORDER BY id LIMIT ?5)`;
  const row = store.get(sql, destinationId, baseId, kind, now, most);
  return { count: integer(row ?? {}, 'count'), bytes: integer(row ?? {}, 'bytes') };
}

/** Confirms a queued item that the service already has: there is nothing to send. False when it is no longer queued. */
export function confirmUnsent(
  store: Store,
  id: number,
  place: { batchRow: number; name: string; key: string },
  now: number,
): boolean {
  if (store.get('SELECT state FROM items WHERE id = ?', id)?.['state'] !== 'queued') return false;
  moveItem(store, id, 'confirmed', now);
  const sql = 'UPDATE items SET batch_row = ?, name = ?, name_key = ? WHERE id = ?';
  store.run(sql, place.batchRow, place.name, place.key, id);
  return true;
}

/** Items that wait for a rule to choose their batch. */
export function itemsWithoutBase(
  store: Store,
  destinationId: number,
  most: number,
): readonly Item[] {
  const sql = `SELECT ${COLUMNS} FROM items INDEXED BY items_planning
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS NULL ORDER BY id LIMIT ?`;
  return store.list(toItem, sql, destinationId, most);
}

/** The batch ids assigned to queued items of a destination, oldest item first. */
export function waitingBases(store: Store, destinationId: number): readonly string[] {
  const sql = `SELECT base_id, min(id) AS first FROM items INDEXED BY items_planning
       WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = ? AND base_id IS NOT NULL
       GROUP BY base_id ORDER BY first`;
  return store.list((row) => text(row, 'base_id'), sql, destinationId);
}

export function queuedIds(store: Store, destinationId: number): readonly number[] {
  const sql = `SELECT id FROM items INDEXED BY items_queued WHERE state = 'queued' AND destination_id = ?`;
  return store.ids(sql, destinationId);
}

/** Whether anything of a connection is yet to be sent, or may have to be sent again. */
export function hasUnsent(store: Store, connectionId: number): boolean {
  const sql = `SELECT 1 FROM item_counts JOIN destinations ON destinations.id = destination_id
     WHERE connection_id = ? AND state IN ('queued', 'planned', 'sending', 'unknown') AND count > 0`;
  return store.has(sql, connectionId);
}

/** How many files of the destinations wait to be read again. */
export function countUnread(store: Store, destinationIds: readonly number[]): number {
  const sql = `SELECT count(*) AS count FROM items INDEXED BY items_again WHERE state = 'queued' AND fingerprint IS NULL
       AND destination_id IN (SELECT value FROM json_each(?))`;
  return store.count(sql, destinationIds);
}

/**
 * Makes files due to be read again that still waited for another drive when a newer file was found at the same path: a scan looks only at
 * the newer one.
 */
export function readOlderNow(store: Store, destinationId: number): void {
  store.run(
    `UPDATE items INDEXED BY items_again SET retry_at = 0 WHERE state = 'queued' AND fingerprint IS NULL AND destination_id = ?
       AND EXISTS (SELECT 1 FROM items AS newer WHERE newer.destination_id = items.destination_id
         AND newer.path = items.path AND newer.id > items.id)`,
    destinationId,
  );
}
