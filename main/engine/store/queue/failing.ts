/** Transfers that failed and wait for another try. */
import { type ErrorCode } from '../../core/errors.ts';
import { codeOrNull } from '../rows.ts';
import type { Store } from '../store.ts';

/** If every unsent transfer of a connection waits for another try: why the one fails that has been failing for longest; else null. */
export function failingCode(store: Store, connectionId: number): ErrorCode | null {
  const sql = `SELECT last_code FROM transfers INDEXED BY transfers_failing CROSS JOIN batches ON batches.id = transfers.batch_row
     WHERE failing_since IS NOT NULL AND batches.connection_id = ?1 AND transfers.state IN ('planned', 'registered')
       AND NOT EXISTS (SELECT 1 FROM transfers AS other INDEXED BY transfers_due JOIN batches AS its ON its.id = other.batch_row
         WHERE other.state IN ('planned', 'registered', 'sending') AND (other.state = 'sending' OR other.failing_since IS NULL) AND its.connection_id = ?1)
     ORDER BY failing_since LIMIT 1`;
  return store.one((row) => codeOrNull(row, 'last_code'), sql, connectionId);
}
