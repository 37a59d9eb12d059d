/** What counted as lost: a list proved that the service has nothing of it, and it waits to be sent again. */
import type { Store } from '../store.ts';
import { forgetAddress, markUnknown } from '../tables/transfers.ts';

const LOST = `state IN ('planned', 'registered') AND absent_at IS NOT NULL`;

/** Notes that a list proved the absence of a transfer, at this time (engine time). It says nothing about the next try. */
export function noteAbsence(store: Store, id: number, at: number): void {
  store.run(
    'UPDATE transfers SET doubtful = 0, sent_at = NULL, absent_at = ? WHERE id = ?',
    at,
    id,
  );
}

/**
 * Notes what a list shows of that which counted as lost in a batch. `at`: when a complete list began, which proves the absence of
 * the others anew; null for an incomplete one.
 */
export function renewAbsence(
  store: Store,
  batchRow: number,
  { listed, at }: { readonly listed: ReadonlySet<number>; readonly at: number | null },
): void {
  store.run(
    `UPDATE transfers INDEXED BY transfers_lost
     SET absent_at = CASE WHEN id IN (SELECT value FROM json_each(?2)) THEN 0 ELSE coalesce(?3, absent_at) END
     WHERE batch_row = ?1 AND ${LOST}`,
    batchRow,
    JSON.stringify([...listed]),
    at,
  );
}

/** Brings what counted as lost into doubt: the service may have listed it since. Its address never got the body that may be there. */
export function doubtAgain(store: Store, id: number, lastByteAt: number, now: number): void {
  markUnknown(store, id, { lastByteAt, askAt: 0 }, now);
  forgetAddress(store, id);
}

/**
 * Called when the pipeline of a connection starts: whatever was being sent is now in doubt, and so is what counted as lost. The
 * times of what was already sent or in doubt count from now. Returns how many came into doubt.
 */
export function bringIntoDoubt(
  store: Store,
  { connectionId, lastByteAt }: { readonly connectionId: number; readonly lastByteAt: number },
  now: number,
): number {
  const of = 'batch_row IN (SELECT id FROM batches WHERE connection_id = ?1)';
  const sending = store.ids(
    `SELECT id FROM transfers WHERE state = 'sending' AND ${of}`,
    connectionId,
  );
  for (const id of sending) markUnknown(store, id, { lastByteAt, askAt: 0 }, now);
  const lost = store.ids(
    `SELECT id FROM transfers INDEXED BY transfers_lost WHERE ${LOST} AND ${of}`,
    connectionId,
  );
  for (const id of lost) doubtAgain(store, id, lastByteAt, now);
  store.run(
    `UPDATE transfers SET last_byte_at = ?2, retry_at = 0 WHERE state = 'unknown' AND ${of}`,
    connectionId,
    lastByteAt,
  );
  // The clock may have been set between two runs, so it is not known how long ago an earlier delivery was.
  store.run(
    `UPDATE transfers SET last_byte_at = ?2, sent_at = min(sent_at, ?2) WHERE state = 'sent' AND ${of}`,
    connectionId,
    lastByteAt,
  );
  return sending.length + lost.length;
}
