/** Results on the service that were not downloaded: they expire with the batch that contains them, after seven days. */
import { RESULTS_SOON_MS, RESULTS_VERY_SOON_MS, RETENTION_MS } from '../core/limits.ts';
import type { Clock } from '../core/ports.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/**
 * Results that expire within 48 hours and were not downloaded completely, soonest first. A job that was not followed to its end may have
 * results, too.
 */
export function expiringResults(store: Store, now: number) {
  const from = now - RETENTION_MS;
  const sql = `SELECT job_id, batch_id, created_at, coalesce(results_batch, job_id || '-export') AS results FROM jobs
       WHERE state IN ('running', 'succeeded') AND fetched = 0 AND created_at > ? AND created_at <= ?
         AND (NOT EXISTS (SELECT 1 FROM outputs WHERE outputs.connection_id = jobs.connection_id AND outputs.state = 'done'
             AND outputs.batch_id IN (jobs.results_batch, jobs.job_id || '-export', jobs.job_id || '-processing'))
           OR EXISTS (SELECT 1 FROM outputs WHERE outputs.connection_id = jobs.connection_id AND outputs.state <> 'done'
             AND outputs.batch_id IN (jobs.results_batch, jobs.job_id || '-export', jobs.job_id || '-processing')))
       ORDER BY created_at`;
  return store.all(sql, from, from + RESULTS_SOON_MS).map((row) => ({
    job: text(row, 'job_id'),
    /** The batch that was processed. */
    batch: text(row, 'batch_id'),
    /** Where the results are. */
    resultsBatch: text(row, 'results'),
    /** When they may be gone, in epoch ms: seven days after the start of the job, which is a little early. */
    expiresAt: integer(row, 'created_at') + RETENTION_MS,
  }));
}

/** Results of a job that are not on this computer. */
export type WaitingResults = Readonly<ReturnType<typeof expiringResults>[number]>;

/** The sentence about such results, with the time left. Pure. */
export function expirySentence(results: WaitingResults, now: number): string {
  const hours = Math.max(1, Math.floor((results.expiresAt - now) / 3_600_000));
  const left = hours === 1 ? 'an hour' : `${hours} hours`;
  return `The results of job ${results.job} end at the service in about ${left} and are not on this computer.`;
}

const LOOK_MS = 10 * 60_000;

/** Creates a check, run from time to time, that reports each result set twice: 48 and 12 hours before it expires. */
export function createExpiryReporter(
  store: Store,
  clock: Clock,
  say: (id: string, sentence: string) => void,
): () => void {
  const announced = new Set<string>();
  let againAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonicMs() < againAt) return;
    againAt = clock.monotonicMs() + LOOK_MS;
    const now = clock.now();
    for (const results of expiringResults(store, now)) {
      const isUrgent = results.expiresAt - now <= RESULTS_VERY_SOON_MS;
      const key = `${results.job} ${isUrgent ? 'urgent' : 'soon'}`;
      if (announced.has(key)) continue;
      announced.add(key);
      say(`results.${results.job}`, expirySentence(results, now));
    }
  };
}
