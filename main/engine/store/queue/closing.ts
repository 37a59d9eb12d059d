/** Batches of watches between open and processed, for the steps that close them and start their jobs. */
import { type ErrorCode } from '../../core/errors.ts';
import { MEDIA_KINDS } from '../../core/model.ts';
import { codeOrNull, integer, integerOrNull, oneOf, text } from '../rows.ts';
import type { Store } from '../store.ts';
import { IS_AT_REST } from '../tables/batches.ts';
import { TRANSFER_STATES } from '../transitions.ts';

/** The newest transfer of each state, each by one index look-up. */
const NEWEST_TRANSFER = TRANSFER_STATES.map(
  (state) =>
    `SELECT max(id) AS id FROM transfers WHERE batch_row = batches.id AND state = '${state}'`,
).join(' UNION ALL ');

/** The open batches of a watch. Costs a few look-ups per batch, however much it holds. */
export function openBatchesOf(store: Store, watchId: number) {
  const sql = `SELECT batches.id, batches.batch_id, batches.created_at,
         EXISTS (SELECT 1 FROM item_counts WHERE item_counts.destination_id = watches.destination_id AND item_counts.state = 'queued' AND count > 0) AS waiting,
         EXISTS (SELECT 1 FROM items INDEXED BY items_planning
           WHERE state = 'queued' AND fingerprint IS NOT NULL AND destination_id = watches.destination_id
             AND base_id = coalesce((SELECT base_id FROM items INDEXED BY items_in_batch WHERE batch_row = batches.id LIMIT 1), batches.base_id)) AS late,
         (SELECT max(id) FROM (${NEWEST_TRANSFER})) AS newest
       FROM batches JOIN watches ON watches.id = batches.watch_id
       WHERE batches.watch_id = ? AND batches.state = 'open' ORDER BY batches.id`;
  return store.all(sql, watchId).map((row) => ({
    id: integer(row, 'id'),
    batchId: text(row, 'batch_id'),
    createdAt: integer(row, 'created_at'),
    /** True while items of the watch's destination have no transfer yet. */
    waiting: integer(row, 'waiting') === 1,
    /** True while some of these items are meant for this batch. */
    late: integer(row, 'late') === 1,
    /** The transfer that was planned last: when it changes, something new has arrived. null while there is none. */
    newestTransfer: integerOrNull(row, 'newest'),
  }));
}

export type OpenBatch = Readonly<ReturnType<typeof openBatchesOf>[number]>;

/** True when the batch id was assigned to `count` files, so that later files get another id, and none of these files is queued. */
export function isNumberedFull(store: Store, batchRow: number, count: number): boolean {
  const sql = `SELECT 1 FROM (SELECT destination_id AS target, base_id AS id FROM items INDEXED BY items_batch WHERE batch_row = ?1 LIMIT 1) AS base
     WHERE ?2 <= (SELECT count(*) FROM (
         SELECT 1 FROM items INDEXED BY items_base WHERE destination_id = base.target AND base_id = base.id LIMIT ?2))
       AND NOT EXISTS (SELECT 1 FROM items INDEXED BY items_base
         WHERE destination_id = base.target AND base_id = base.id AND state = 'queued')`;
  return store.has(sql, batchRow, count);
}

/** When the newest item of a transfer was found, epoch ms; null when it has none. */
export function transferFoundAt(store: Store, transferId: number): number | null {
  const sql = 'SELECT max(found_at) AS at FROM items WHERE transfer_id = ?';
  return store.one((row) => integerOrNull(row, 'at'), sql, transferId);
}

/** True for a closed batch with something confirmed and no job yet. */
export const IS_WITHOUT_JOB = `batches.state = 'sealed'
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.connection_id = batches.connection_id AND jobs.batch_id = batches.batch_id)
  AND EXISTS (SELECT 1 FROM batch_counts WHERE batch_row = batches.id AND batch_counts.state = 'confirmed' AND count > 0)`;

/** Batches of a connection's watches with which a job can start: they have no job yet, and nothing in them is in progress. */
export function batchesReadyForJob(store: Store, connectionId: number) {
  const sql = `SELECT id, batch_id, kind, watch_id FROM batches
       WHERE connection_id = ? AND watch_id IS NOT NULL AND ${IS_WITHOUT_JOB} AND ${IS_AT_REST} ORDER BY id`;
  return store.all(sql, connectionId).map((row) => ({
    id: integer(row, 'id'),
    batchId: text(row, 'batch_id'),
    kind: oneOf(row, 'kind', MEDIA_KINDS),
    watchId: integer(row, 'watch_id'),
  }));
}

export type ReadyBatch = Readonly<ReturnType<typeof batchesReadyForJob>[number]>;

/** Whether a job has still to start with a batch of these watches. */
export function awaitsJob(store: Store, watchIds: readonly number[]): boolean {
  const sql = `SELECT 1 FROM batches JOIN watches ON watches.id = batches.watch_id
     WHERE watches.id IN (SELECT value FROM json_each(?)) AND json_extract(watches.rule, '$.job') IS NOT NULL AND ${IS_WITHOUT_JOB}`;
  return store.has(sql, watchIds);
}

/** If the pause of a job ends later than this from now, it began before the clock was set back, in ms. Our choice. */
const LONGEST_PAUSE_MS = 2 * 60 * 60_000;

/** Rows of jobs of a connection that must be started, followed or fetched. `now` is epoch ms. */
export function jobsInMotion(
  store: Store,
  connectionId: number,
  now: number,
): {
  readonly toStart: readonly number[];
  readonly toFollow: readonly number[];
  readonly toFetch: readonly number[];
} {
  const ids = (sql: string, ...values: number[]): readonly number[] =>
    store.ids(sql, connectionId, ...values);
  return {
    toStart: ids(
      `SELECT id FROM jobs WHERE connection_id = ? AND state IN ('planned', 'starting')
         AND (retry_at <= ? OR retry_at > ?) ORDER BY id`,
      now,
      now + LONGEST_PAUSE_MS,
    ),
    toFollow: ids(`SELECT id FROM jobs WHERE connection_id = ? AND state = 'running' ORDER BY id`),
    toFetch: ids(
      `SELECT id FROM jobs WHERE connection_id = ? AND state = 'succeeded' AND download_to IS NOT NULL AND fetched = 0 ORDER BY id`,
    ),
  };
}

/** Rows of jobs of a connection that were given up before they ran, and why. */
export function jobsGivenUp(
  store: Store,
  connectionId: number,
): readonly { readonly id: number; readonly code: ErrorCode | null }[] {
  const sql = `SELECT id, last_code FROM jobs WHERE connection_id = ? AND state = 'parked' ORDER BY id`;
  return store.all(sql, connectionId).map((row) => ({
    id: integer(row, 'id'),
    code: codeOrNull(row, 'last_code'),
  }));
}

/**
 * True while a job of a connection makes progress by itself: it waits to be started, is running, or its outputs are being fetched. A job
 * whose outputs could not all be fetched does not count; they are tried again once an hour. `watchIds`: only jobs that these watches
 * started.
 */
export function hasActiveJobs(
  store: Store,
  connectionId: number,
  watchIds: readonly number[] | null = null,
): boolean {
  const sql = `SELECT 1 FROM jobs WHERE connection_id = ?1 AND (state IN ('planned', 'starting', 'running')
       OR (state = 'succeeded' AND download_to IS NOT NULL AND fetched = 0 AND last_code IS NULL))
       AND (?2 IS NULL OR watch_id IN (SELECT value FROM json_each(?2))) LIMIT 1`;
  return store.has(sql, connectionId, watchIds);
}

/** Forgets why outputs could not be fetched: they are tried again. */
export function clearFetchErrors(store: Store, connectionId: number): void {
  const sql = `UPDATE jobs SET last_code = NULL WHERE connection_id = ? AND state = 'succeeded' AND fetched = 0
       AND last_code IS NOT NULL`;
  store.run(sql, connectionId);
}

/** Notes that every output of a job is where it was wanted. */
export function markFetched(store: Store, jobRow: number): void {
  store.run('UPDATE jobs SET fetched = 1, last_code = NULL WHERE id = ?', jobRow);
}

export function linkJobToWatch(
  store: Store,
  jobRow: number,
  watchId: number,
  unpack: boolean,
): void {
  const sql = 'UPDATE jobs SET watch_id = ?, unpack = ? WHERE id = ?';
  store.run(sql, watchId, unpack, jobRow);
}
