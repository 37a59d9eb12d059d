/** What counted as lost: a list proved that the service has nothing of it, and it waits to be sent again. */
import type { Store } from '../store.ts';
import { type LostBody, markUnknown } from '../tables/transfers.ts';

const LOST = `state IN ('planned', 'registered') AND absent_at IS NOT NULL`;

/** Notes that a list proved the absence of a transfer, at the time `absentAt`. It says nothing about the next try. */
export function noteAbsence(store: Store, id: number, absentAt: number): void {
  store.run(
    'UPDATE transfers SET doubtful = 0, sent_at = NULL, absent_at = ? WHERE id = ?',
    absentAt,
    id,
  );
}

/** Remembers the body with which files were lost, in case they are planned anew. */
export function noteLost(store: Store, itemIds: readonly number[], lost: LostBody): void {
  store.run(
    'UPDATE items SET lost_byte_at = ?, lost_absent_at = ? WHERE id IN (SELECT value FROM json_each(?))',
    ...[lost.lastByteAt, lost.absentAt, JSON.stringify(itemIds)],
  );
}

/** Transfers of a batch that counted as lost. */
export function lostIn(store: Store, batchRow: number): readonly number[] {
  const sql = `SELECT id FROM transfers INDEXED BY transfers_lost WHERE batch_row = ? AND ${LOST}`;
  return store.ids(sql, batchRow);
}

/**
 * Notes what a list shows of that which counted as lost in a batch. `at`: when a complete list began, which proves the absence of
 * the others anew; null for an incomplete one. What a list has shown stays in need of a new proof.
 */
export function renewAbsence(
  store: Store,
  batchRow: number,
  { listed, at }: { readonly listed: ReadonlySet<number>; readonly at: number | null },
): void {
  if (at === null && listed.size === 0) return;
  store.run(
    `UPDATE transfers INDEXED BY transfers_lost
     SET absent_at = CASE WHEN id IN (SELECT value FROM json_each(?2)) THEN 0 ELSE coalesce(?3, absent_at) END
     WHERE batch_row = ?1 AND ${LOST} AND absent_at > 0`,
    batchRow,
    JSON.stringify([...listed]),
    at,
  );
}

/**
 * Brings what counted as lost into doubt: the service may have listed it since. Its address is kept for the next try, since it is
 * not the one to which the earlier body went.
 */
export function doubtAgain(store: Store, id: number, lastByteAt: number, now: number): void {
  markUnknown(store, id, { lastByteAt, askAt: 0 }, now);
  store.run('UPDATE transfers SET absent_at = 0 WHERE id = ?', id);
}

/** The same for all of a connection. Returns how many there were. */
export function doubtAllAgain(
  store: Store,
  connectionId: number,
  lastByteAt: number,
  now: number,
): number {
  const ids = store.ids(
    `SELECT id FROM transfers INDEXED BY transfers_lost
     WHERE ${LOST} AND batch_row IN (SELECT id FROM batches WHERE connection_id = ?)`,
    connectionId,
  );
  for (const id of ids) doubtAgain(store, id, lastByteAt, now);
  return ids.length;
}
