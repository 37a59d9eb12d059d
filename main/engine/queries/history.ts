/**
 * What happened day by day, as counted in the ledger: files that were found and their current states, jobs that ended, results that
 * arrived.
 */
import { localDay } from '../core/contract.ts';
import type { HistoryDay } from '../core/model.ts';
import { integer, oneOf, text, integerOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Length of a period in the table found_counts, in ms. */
const PERIOD_MS = 900_000;
const MAX_SOURCES = 50;
const MAX_JOBS = 20;
const ENDS = ['succeeded', 'failed', 'aborted'] as const;

interface Day {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly from: number;
  readonly until: number;
}

/** The local days up to and including the one of `at`, newest first. Pure. */
export function daysUntil(at: number, count: number): readonly Day[] {
  const last = new Date(at);
  return Array.from({ length: count }, (_, back) => {
    const [year, month, date] = [last.getFullYear(), last.getMonth(), last.getDate() - back];
    const begin = new Date(year, month, date).getTime();
    return {
      day: localDay(begin),
      from: begin,
      // Works for days of 23 and 25 hours, too.
      until: new Date(year, month, date + 1).getTime(),
    };
  });
}

/** Days on which anything happened, newest first; `until` is a time on the last day. */
export function historyDays(
  store: Store,
  connectionId: number,
  { until, days }: { readonly until: number; readonly days: number },
): readonly HistoryDay[] {
  return daysUntil(until, days)
    .map((day) => ({
      day: day.day,
      sources: sourcesOf(store, connectionId, day),
      jobs: jobsOf(store, connectionId, day),
      results: resultsOf(store, connectionId, day),
    }))
    .filter(({ sources, jobs, results }) => sources.length + jobs.length + results > 0);
}

function sourcesOf(store: Store, connectionId: number, day: Day): HistoryDay['sources'] {
  const sql = `SELECT destinations.id, destinations.name,
         (SELECT max(watches.id) FROM watches WHERE watches.destination_id = destinations.id AND watches.state <> 'removed') AS watch,
         sum(found) AS found, sum(bytes) AS bytes, sum(confirmed) AS confirmed, sum(skipped) AS skipped,
         sum(parked) AS parked, max(period) AS last
       FROM found_counts JOIN destinations ON destinations.id = found_counts.destination_id
       WHERE period >= ?1 AND period < ?2 AND destinations.connection_id = ?3
       GROUP BY destinations.id HAVING sum(found) > 0 ORDER BY last DESC LIMIT ?4`;
  const from = Math.floor(day.from / PERIOD_MS);
  const until = Math.floor(day.until / PERIOD_MS);
  return store.all(sql, from, until, connectionId, MAX_SOURCES).map((row) => ({
    destinationId: integer(row, 'id'),
    watchId: integerOrNull(row, 'watch'),
    name: text(row, 'name'),
    found: integer(row, 'found'),
    bytes: integer(row, 'bytes'),
    confirmed: integer(row, 'confirmed'),
    skipped: integer(row, 'skipped'),
    attention: integer(row, 'parked'),
  }));
}

function jobsOf(store: Store, connectionId: number, day: Day): HistoryDay['jobs'] {
  const sql = `SELECT job_id, coalesce(name, job_id) AS name, state, state_at FROM jobs
       WHERE connection_id = ?1 AND state IN ('succeeded', 'failed', 'aborted') AND state_at >= ?2 AND state_at < ?3
       ORDER BY state_at DESC LIMIT ?4`;
  return store.all(sql, connectionId, day.from, day.until, MAX_JOBS).map((row) => ({
    jobId: text(row, 'job_id'),
    name: text(row, 'name'),
    state: oneOf(row, 'state', ENDS),
    endedAt: integer(row, 'state_at'),
  }));
}

function resultsOf(store: Store, connectionId: number, day: Day): number {
  const sql = `SELECT count(*) AS count FROM outputs WHERE state = 'done' AND connection_id = ? AND state_at >= ? AND state_at < ?`;
  return store.count(sql, connectionId, day.from, day.until);
}
