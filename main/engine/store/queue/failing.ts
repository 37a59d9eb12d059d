/** Why files make no progress: transfers that failed and wait for another try, and batches that cannot be read. */
import { type ErrorCode, sluiceError, type SluiceError } from '../../core/errors.ts';
import { codeOf, codeOrNull, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';

/** Only batches with one of the requested ids (?2) count; with null, all. */
const IS_REQUESTED = '(?2 IS NULL OR base_id IN (SELECT value FROM json_each(?2)))';

/** If every unsent transfer in these batches waits for another try: why the one fails that has been failing for longest; else null. */
export function failingCode(
  store: Store,
  connectionId: number,
  bases: readonly string[] | null,
): ErrorCode | null {
  const sql = `SELECT last_code FROM transfers INDEXED BY transfers_failing CROSS JOIN batches ON batches.id = transfers.batch_row
     WHERE failing_since IS NOT NULL AND batches.connection_id = ?1 AND transfers.state IN ('planned', 'registered') AND ${IS_REQUESTED}
       AND NOT EXISTS (SELECT 1 FROM transfers AS other INDEXED BY transfers_due JOIN batches AS its ON its.id = other.batch_row
         WHERE other.state IN ('planned', 'registered', 'sending') AND (other.state = 'sending' OR other.failing_since IS NULL)
           AND its.connection_id = ?1 AND ${IS_REQUESTED})
     ORDER BY failing_since LIMIT 1`;
  return store.one((row) => codeOrNull(row, 'last_code'), sql, connectionId, bases);
}

/**
 * Once everything is sent: why a batch has been unreadable since `since` (engine time) or longer, so that nothing in it is confirmed. Null
 * when all are read, or files are still to be sent.
 */
export function unreadCause(
  store: Store,
  connectionId: number,
  bases: readonly string[] | null,
  since: number,
): SluiceError | null {
  const sql = `SELECT code, detail FROM waits JOIN batches ON batches.connection_id = ?1 AND subject = 'batch:' || batch_id
     WHERE waits.connection_id = ?1 AND since <= ?3 AND ${IS_REQUESTED}
       AND NOT EXISTS (SELECT 1 FROM transfers JOIN batches AS its ON its.id = transfers.batch_row
         WHERE transfers.state IN ('planned', 'registered', 'sending') AND its.connection_id = ?1 AND ${IS_REQUESTED})
     ORDER BY since LIMIT 1`;
  const row = store.get(sql, connectionId, bases, since);
  if (row === null) return null;
  const said = textOrNull(row, 'detail');
  return sluiceError(codeOf(row, 'code'), said === null ? {} : { said });
}
