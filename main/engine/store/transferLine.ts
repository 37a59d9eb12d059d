/** The line of transfers: which may start, which wait, and until when. */
import { integerOrNull } from './rows.ts';
import type { Store } from './store.ts';
import { toTransfer, type Transfer } from './transfers.ts';
import type { TransferState } from './transitions.ts';

/** Which transfer goes first. */
export type TransferOrder = 'oldest' | 'newest' | 'smallest';

const ORDERS: Readonly<Record<TransferOrder, string>> = {
  oldest: 'transfers.id',
  newest: 'transfers.id DESC',
  smallest: 'transfers.size_bytes, transfers.id',
};

/** Whose transfers may start: of a connection, of the batch ids asked for (null: all), in an order. */
export interface TransferScope {
  readonly connectionId: number;
  readonly bases: readonly string[] | null;
  readonly order: TransferOrder;
}

/** Transfers that may start now, leaving out those that already run and those of paused batches and watches. */
export function dueTransfers(
  store: Store,
  scope: TransferScope,
  running: ReadonlySet<number>,
  now: number,
  most: number,
): readonly Transfer[] {
  return store
    .all(
      `SELECT transfers.* FROM transfers INDEXED BY transfers_line JOIN batches ON batches.id = transfers.batch_row
       WHERE transfers.state IN ('planned', 'registered') AND retry_at <= ?1 AND batches.connection_id = ?2
         AND transfers.id NOT IN (SELECT value FROM json_each(?3))
         AND (?5 IS NULL OR batches.base_id IN (SELECT value FROM json_each(?5)))
         AND batches.paused = 0
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.id = batches.watch_id AND watches.state = 'paused')
       ORDER BY ${ORDERS[scope.order]} LIMIT ?4`,
      now,
      scope.connectionId,
      JSON.stringify([...running]),
      most,
      scope.bases === null ? null : JSON.stringify(scope.bases),
    )
    .map(toTransfer);
}

/** Transfers of a connection in one state, due now, oldest first. */
export function transfersIn(
  store: Store,
  connectionId: number,
  state: TransferState,
  now: number,
): readonly Transfer[] {
  return store
    .all(
      `SELECT transfers.* FROM transfers JOIN batches ON batches.id = transfers.batch_row
       WHERE transfers.state = ? AND transfers.retry_at <= ? AND batches.connection_id = ? ORDER BY transfers.id`,
      state,
      now,
      connectionId,
    )
    .map(toTransfer);
}

/** Makes transfers that wait because of the network due at once: it is back. */
export function networkIsBack(store: Store, connectionId: number): void {
  store.run(
    `UPDATE transfers SET retry_at = 0 WHERE state IN ('planned', 'registered', 'unknown') AND retry_at > 0
       AND (last_code LIKE 'network.%' OR last_code LIKE 'net.%')
       AND batch_row IN (SELECT id FROM batches WHERE connection_id = ?)`,
    connectionId,
  );
}

/** The next instant after `now` at which something that waits for its time is due; null when nothing waits. */
export function nextDueAt(store: Store, now: number): number | null {
  const row = store.get(
    `SELECT min(at) AS at FROM (
       SELECT min(retry_at) AS at FROM transfers WHERE state = 'planned' AND retry_at > ?1
       UNION ALL SELECT min(retry_at) FROM transfers WHERE state = 'registered' AND retry_at > ?1
       UNION ALL SELECT min(retry_at) FROM transfers WHERE state = 'unknown' AND retry_at > ?1
       UNION ALL SELECT min(retry_at) FROM items INDEXED BY items_again
         WHERE state = 'queued' AND fingerprint IS NULL AND retry_at > ?1)`,
    now,
  );
  return row === null ? null : integerOrNull(row, 'at');
}
