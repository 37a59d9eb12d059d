/** Queries that find waits in the rows that wait. */
import type { WaitKind } from '../core/model.ts';

/** The most waits in a list: a person cannot use a longer one. */
export const MOST_WAITS = 50;

/** The batch name if all have the same one, else null. */
const ONE_BATCH = `CASE WHEN min(batches.batch_id) = max(batches.batch_id) THEN min(batches.batch_id) END`;

/** True for a batch that a person did not pause, on its own or with its watch. */
export const NOT_PAUSED = `batches.paused = 0
  AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.id = batches.watch_id AND watches.state = 'paused')`;

/** Jobs whose last request failed. A service that refuses to start one because it does not know something does not say what. */
function jobsWhere(condition: string, nextAt = 'nullif(retry_at, 0)'): string {
  return `SELECT job_id AS name, last_code AS code, 0 AS bytes, 0 AS count, state_at AS since, ${nextAt} AS next_at,
      CASE WHEN last_code = 'service.notFound' AND state IN ('planned', 'starting', 'parked')
        THEN 'batch ' || batch_id || ' or the workflow' END AS detail
    FROM jobs INDEXED BY jobs_waiting WHERE last_code IS NOT NULL AND connection_id = ?1 AND ${condition}`;
}

/** Result files that could not be downloaded; `detail` names one of them. */
function outputsWhere(condition: string): string {
  return `SELECT batch_id AS name, last_code AS code, coalesce(sum(size_bytes), 0) AS bytes, count(*) AS count,
      min(state_at) AS since, NULL AS next_at,
      min(file_name) || iif(count(*) = 1, '', ' and ' || (count(*) - 1) || ' more') AS detail FROM outputs INDEXED BY outputs_waiting
    WHERE last_code IS NOT NULL AND state <> 'done' AND ${condition} AND connection_id = ?1 GROUP BY batch_id, last_code`;
}

/** A column of the note about the drive that files wait for. */
function ofDrive(column: 'code' | 'detail'): string {
  return `(SELECT ${column} FROM waits WHERE waits.connection_id = ?1 AND subject = 'drive') AS ${column}`;
}

/** The queries for each connection (?1). None scans finished items or batches: a test checks SQLite's query plan. */
export const WAIT_QUERIES: readonly { readonly kind: WaitKind; readonly sql: string }[] = [
  {
    kind: 'failing',
    sql: `SELECT ${ONE_BATCH} AS name, last_code AS code, sum(transfers.size_bytes) AS bytes,
        sum((SELECT count(*) FROM items WHERE items.transfer_id = transfers.id)) AS count,
        min(failing_since) AS since, nullif(min(retry_at), 0) AS next_at
      FROM transfers INDEXED BY transfers_failing CROSS JOIN batches ON batches.id = transfers.batch_row
      WHERE failing_since IS NOT NULL AND batches.connection_id = ?1
        AND transfers.state IN ('planned', 'registered', 'sending') AND ${NOT_PAUSED} GROUP BY last_code`,
  },
  {
    kind: 'unlisted',
    sql: `SELECT ${ONE_BATCH} AS name, NULL AS code, coalesce(sum(transfers.size_bytes), 0) AS bytes,
        coalesce(sum((SELECT count(*) FROM items WHERE items.transfer_id = transfers.id AND items.state = 'sent')), 0) AS count,
        min(coalesce(sent_at, transfers.state_at)) AS since, NULL AS next_at
      FROM transfers INDEXED BY transfers_unlisted CROSS JOIN batches ON batches.id = transfers.batch_row
      WHERE transfers.state = 'sent' AND batches.connection_id = ?1 HAVING count(*) > 0`,
  },
  {
    kind: 'unknown',
    sql: `SELECT ${ONE_BATCH} AS name, NULL AS code, coalesce(sum(transfers.size_bytes), 0) AS bytes,
        coalesce(sum((SELECT count(*) FROM items WHERE items.transfer_id = transfers.id)), 0) AS count,
        min(transfers.state_at) AS since, nullif(min(retry_at), 0) AS next_at
      FROM transfers CROSS JOIN batches ON batches.id = transfers.batch_row
      WHERE transfers.state = 'unknown' AND batches.connection_id = ?1 HAVING count(*) > 0`,
  },
  { kind: 'starting', sql: jobsWhere(`state IN ('planned', 'starting')`) },
  { kind: 'notStarted', sql: jobsWhere(`state = 'parked'`, 'NULL') },
  { kind: 'following', sql: jobsWhere(`state = 'running'`) },
  { kind: 'results', sql: jobsWhere(`state = 'succeeded' AND fetched = 0`) },
  { kind: 'outputs', sql: outputsWhere(`state <> 'parked'`) },
  { kind: 'givenUp', sql: outputsWhere(`state = 'parked'`) },
  {
    kind: 'unstable',
    sql: `SELECT NULL AS name, ${ofDrive('code')}, ${ofDrive('detail')},
        coalesce(sum(size_bytes), 0) AS bytes, count(*) AS count, min(state_at) AS since, nullif(min(retry_at), 0) AS next_at
      FROM items INDEXED BY items_again CROSS JOIN destinations ON destinations.id = items.destination_id
      WHERE state = 'queued' AND fingerprint IS NULL AND connection_id = ?1 HAVING count(*) > 0`,
  },
  {
    kind: 'comparing',
    sql: `SELECT NULL AS name, NULL AS code, coalesce(sum(size_bytes), 0) AS bytes, count(*) AS count,
        min(state_at) AS since, min(retry_at) AS next_at
      FROM items INDEXED BY items_postponed CROSS JOIN destinations ON destinations.id = items.destination_id
      WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 0 AND connection_id = ?1 HAVING count(*) > 0`,
  },
  {
    kind: 'watchPaused',
    sql: `SELECT batches.batch_id AS name, NULL AS code, coalesce(sum(transfers.size_bytes), 0) AS bytes,
        coalesce(sum((SELECT count(*) FROM items WHERE items.transfer_id = transfers.id)), 0) AS count,
        watches.state_at AS since, NULL AS next_at
      FROM watches CROSS JOIN batches INDEXED BY batches_by_watch ON batches.watch_id = watches.id
      CROSS JOIN transfers INDEXED BY transfers_batch ON transfers.batch_row = batches.id
      WHERE watches.state = 'paused' AND watches.connection_id = ?1 AND batches.state IN ('open', 'sealed', 'processed')
        AND transfers.state IN ('planned', 'registered') GROUP BY batches.id`,
  },
  {
    kind: 'batchPaused',
    sql: `SELECT batch_id AS name, NULL AS code, 0 AS bytes, 0 AS count, NULL AS since, NULL AS next_at
      FROM batches INDEXED BY batches_paused WHERE paused = 1 AND connection_id = ?1 LIMIT ${MOST_WAITS}`,
  },
];
