/** Lost transfers: they were sent, a list proved that the service has nothing of them, and they wait to be sent again. */
import type { Store } from '../store.ts';
import { type LostBody, markUnknown, transferById } from '../tables/transfers.ts';

const LOST = `state IN ('planned', 'registered') AND absent_at IS NOT NULL`;

/** Notes that a list proved the absence of a transfer, at the time `absentAt`. The proof says nothing about the next try. */
export function noteAbsence(store: Store, id: number, absentAt: number): void {
  const sql = 'UPDATE transfers SET doubtful = 0, sent_at = NULL, absent_at = ? WHERE id = ?';
  store.run(sql, absentAt, id);
}

/** Remembers with which body files were lost, in case they are planned again. */
export function noteLost(store: Store, itemIds: readonly number[], lost: LostBody): void {
  const sql =
    'UPDATE items SET lost_byte_at = ?, lost_absent_at = ? WHERE id IN (SELECT value FROM json_each(?))';
  store.run(sql, lost.lastByteAt, lost.absentAt, itemIds);
}

export function lostIn(store: Store, batchRow: number): readonly number[] {
  const sql = `SELECT id FROM transfers INDEXED BY transfers_lost WHERE batch_row = ? AND ${LOST}`;
  return store.ids(sql, batchRow);
}

/** How many files of a batch were lost, or were given up because they were never listed: the service may have them after all. */
export function lostFiles(store: Store, batchRow: number): number {
  const sql = `SELECT (SELECT count(*) FROM items WHERE state = 'planned' AND transfer_id IN (
         SELECT id FROM transfers INDEXED BY transfers_lost WHERE batch_row = ?1 AND ${LOST}))
       + (SELECT count(*) FROM items INDEXED BY items_batch WHERE batch_row = ?1 AND state IN ('queued', 'parked')
           AND (state = 'queued' AND lost_absent_at IS NOT NULL OR state = 'parked' AND reason = 'upload.unproven')) AS count`;
  return store.count(sql, batchRow);
}

/**
 * Renews the proof of absence of those of these transfers that are still lost: a complete listing that began at this time (engine time)
 * does not show them.
 */
export function renewAbsence(store: Store, ids: readonly number[], at: number): void {
  if (ids.length === 0) return;
  const sql = `UPDATE transfers SET absent_at = ? WHERE id IN (SELECT value FROM json_each(?)) AND ${LOST} AND absent_at > 0`;
  store.run(sql, at, ids);
}

/** Forgets the lost bodies of a transfer: what was sent to a batch that has expired says nothing about the next generation. */
export function forgetLost(store: Store, transferId: number): void {
  const sql = 'UPDATE items SET lost_byte_at = NULL, lost_absent_at = NULL WHERE transfer_id = ?';
  store.run(sql, transferId);
}

/**
 * Makes a lost transfer doubtful: the service may have listed it since. Its address is kept for the next try, because the lost body did not
 * go to it.
 */
export function doubtAgain(store: Store, id: number, now: number): void {
  const lastByteAt = transferById(store, id)?.lastByteAt ?? 0;
  markUnknown(store, id, { lastByteAt, askAt: 0 }, now);
}

/** The same for all lost transfers of a connection. Returns how many there were. */
export function doubtAllAgain(store: Store, connectionId: number, now: number): number {
  const sql = `SELECT id FROM transfers INDEXED BY transfers_lost
     WHERE ${LOST} AND batch_row IN (SELECT id FROM batches WHERE connection_id = ?)`;
  const ids = store.ids(sql, connectionId);
  for (const id of ids) doubtAgain(store, id, now);
  return ids.length;
}
