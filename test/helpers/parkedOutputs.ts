/** What the ledger says of output files that were given up. */
import { codeOrNull, integer, text, textOrNull } from '../../main/engine/store/rows.ts';
import type { Store } from '../../main/engine/store/store.ts';

/** Output files of a connection that were given up, in the order in which they were listed. */
export function parkedOutputs(store: Store, connectionId: number) {
  const sql = `SELECT id, path, last_code, state_at, batch_id,
         (SELECT job_id FROM jobs WHERE jobs.connection_id = outputs.connection_id
            AND jobs.results_batch = outputs.batch_id ORDER BY jobs.id DESC LIMIT 1) AS job_id
       FROM outputs WHERE connection_id = ? AND last_code IS NOT NULL AND state <> 'done' ORDER BY id`;
  return store.all(sql, connectionId).map((row) => ({
    id: integer(row, 'id'),
    path: text(row, 'path'),
    code: codeOrNull(row, 'last_code') ?? 'bug.unexpected',
    /** When it was given up, epoch ms. */
    since: integer(row, 'state_at'),
    batchId: text(row, 'batch_id'),
    /** The job that made the file; null when it was fetched without a job. */
    jobId: textOrNull(row, 'job_id'),
  }));
}
