/** What counted as lost and was not sent again yet, and what an earlier run left in the middle: both are looked for again. */
import type { Store } from '../store.ts';
import { markUnknown } from '../tables/transfers.ts';

/** Transfers of a connection that wait to be sent again, or have taken members over from one that did: before, they counted as lost. */
function countedAsLost(store: Store, connectionId: number): readonly number[] {
  const waits = `transfers.state IN ('planned', 'registered') AND doubtful = 0`;
  return store.ids(
    `SELECT transfers.id FROM batches CROSS JOIN transfers INDEXED BY transfers_lost ON transfers.batch_row = batches.id
     WHERE connection_id = ?1 AND ${waits} AND last_byte_at IS NOT NULL
     UNION SELECT transfers.id FROM items INDEXED BY items_vanished JOIN transfers ON transfers.id = items.transfer_id
       JOIN batches ON batches.id = transfers.batch_row
     WHERE vanished > 0 AND items.state = 'planned' AND connection_id = ?1 AND ${waits}`,
    connectionId,
  );
}

/**
 * Brings what counted as lost and was not sent again into doubt: the service may have listed it since. `among`: only these
 * transfers. Returns how many came into doubt.
 */
export function doubtLost(
  store: Store,
  from: {
    readonly connectionId: number;
    readonly lastByteAt: number;
    readonly among?: ReadonlySet<number>;
  },
  now: number,
): number {
  const lost = countedAsLost(store, from.connectionId);
  const ids = lost.filter((id) => from.among?.has(id) ?? true);
  for (const id of ids) markUnknown(store, id, { lastByteAt: from.lastByteAt, askAt: 0 }, now);
  return ids.length;
}

/**
 * Called when the pipeline of a connection starts: whatever was being sent is now in doubt, and so is what counted as lost and was not
 * sent again: the service may have listed it since. The times of what was already sent or in doubt count from now. Returns how
 * many came into doubt.
 */
export function bringIntoDoubt(
  store: Store,
  from: { readonly connectionId: number; readonly lastByteAt: number },
  now: number,
): number {
  const of = 'batch_row IN (SELECT id FROM batches WHERE connection_id = ?1)';
  const ids = store.ids(
    `SELECT id FROM transfers WHERE state = 'sending' AND ${of}`,
    from.connectionId,
  );
  const times = { lastByteAt: from.lastByteAt, askAt: 0 };
  for (const id of ids) markUnknown(store, id, times, now);
  const lost = doubtLost(store, from, now);
  store.run(
    `UPDATE transfers SET last_byte_at = ?2, retry_at = 0 WHERE state = 'unknown' AND ${of}`,
    from.connectionId,
    from.lastByteAt,
  );
  // The clock may have been set between two runs, so it is not known how long ago an earlier delivery was.
  store.run(
    `UPDATE transfers SET last_byte_at = ?2, sent_at = min(sent_at, ?2) WHERE state = 'sent' AND ${of}`,
    from.connectionId,
    from.lastByteAt,
  );
  return ids.length + lost;
}
