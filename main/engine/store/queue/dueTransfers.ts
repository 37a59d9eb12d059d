/** The queue of transfers: which may start, which wait, and until when. */
import { type ErrorCode } from '../../core/errors.ts';
import { ON_THE_WAY } from '../../evidence/causes.ts';
import { codeOrNull, integerOrNull, oneOfOrNull, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { toTransfer, type Transfer } from '../tables/transfers.ts';

/** Which transfer goes first. */
export type TransferOrder = 'oldest' | 'newest' | 'smallest';

/** `scattered`: from everywhere in the line, the same in each run. */
const ORDERS: Readonly<Record<TransferOrder | 'scattered', string>> = {
  oldest: 'transfers.id',
  newest: 'transfers.id DESC',
  smallest: 'transfers.size_bytes, transfers.id',
  scattered: 'transfers.id * 2654435761 % 4294967296',
};

/**
 * Which transfers may start, and in which order: those of a connection and of the requested batch ids (all when null), except
 * of the batches in `ending`, to which nothing is sent now.
 */
export interface TransferScope {
  readonly connectionId: number;
  readonly bases: readonly string[] | null;
  readonly ending: ReadonlySet<number>;
  readonly order: keyof typeof ORDERS;
}

/** A batch to which something may be sent at the time ?1: neither it nor its watch is paused, and it is not held. */
const MAY_GO = `batches.paused = 0 AND (batches.hold_until IS NULL OR batches.hold_until <= ?1) AND watches.state IS NOT 'paused'`;
const ITS_WATCH = 'LEFT JOIN watches ON watches.id = batches.watch_id';

/** Transfers that may start now, except those already running and those of paused or held batches and paused watches. */
export function dueTransfers(
  store: Store,
  scope: TransferScope,
  running: ReadonlySet<number>,
  now: number,
  most: number,
): readonly Transfer[] {
  const sql = `SELECT transfers.* FROM transfers INDEXED BY transfers_line JOIN batches ON batches.id = transfers.batch_row ${ITS_WATCH}
       WHERE transfers.state IN ('planned', 'registered') AND retry_at <= ?1 AND batches.connection_id = ?2
         AND transfers.id NOT IN (SELECT value FROM json_each(?3))
         AND (?5 IS NULL OR batches.base_id IN (SELECT value FROM json_each(?5)))
         AND batches.id NOT IN (SELECT value FROM json_each(?6))
         AND ${MAY_GO} ORDER BY ${ORDERS[scope.order]} LIMIT ?4`;
  return store.list(toTransfer, sql, now, scope.connectionId, [...running], most, scope.bases, [
    ...scope.ending,
  ]);
}

export function mayGo(store: Store, batchRow: number, now: number): boolean {
  const sql = `SELECT 1 FROM batches ${ITS_WATCH} WHERE batches.id = ?2 AND ${MAY_GO}`;
  return store.has(sql, now, batchRow);
}

/** A requested batch (?2, null for all) with transfers that wait. */
const HAS_WAITING = `(?2 IS NULL OR batches.base_id IN (SELECT value FROM json_each(?2)))
  AND EXISTS (SELECT 1 FROM transfers WHERE batch_row = batches.id AND state IN ('planned', 'registered'))`;

/** What a person paused so that transfers of these batch ids (null: all) wait; null when none waits because of a pause. */
export function pausedBy(
  store: Store,
  connectionId: number,
  bases: readonly string[] | null,
): 'batch' | 'watch' | null {
  return store.one(
    (row) => oneOfOrNull(row, 'what', ['batch', 'watch'] as const),
    `SELECT 'batch' AS what FROM batches INDEXED BY batches_paused
     WHERE paused = 1 AND connection_id = ?1 AND ${HAS_WAITING}
     UNION ALL SELECT 'watch' FROM watches CROSS JOIN batches INDEXED BY batches_by_watch
     WHERE watches.state = 'paused' AND watches.connection_id = ?1 AND batches.watch_id = watches.id
       AND batches.state IN ('open', 'sealed') AND ${HAS_WAITING} LIMIT 1`,
    connectionId,
    bases,
  );
}

/** Makes transfers that wait for the network or the service due at once, because a request got through. */
export function dueAgain(store: Store, connectionId: number): void {
  const sql = `UPDATE transfers SET retry_at = 0 WHERE state IN ('planned', 'registered', 'unknown') AND retry_at > 0
       AND last_code IN (SELECT value FROM json_each(?)) AND batch_row IN (SELECT id FROM batches WHERE connection_id = ?)`;
  store.run(sql, ON_THE_WAY, connectionId);
}

/** Makes everything of a connection that waits for a certain time due at once, because a person asks. `now` is engine time, epoch ms. */
export function dueNowAll(store: Store, connectionId: number, now: number): void {
  const sql = `UPDATE transfers SET retry_at = 0 WHERE state IN ('planned', 'registered', 'unknown') AND retry_at > 0
       AND batch_row IN (SELECT id FROM batches WHERE connection_id = ?)`;
  store.run(sql, connectionId);
  store.run(
    `UPDATE items SET retry_at = 1 WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 1
       AND destination_id IN (SELECT id FROM destinations WHERE connection_id = ?)`,
    connectionId,
  );
  store.run(
    `UPDATE jobs SET retry_at = 0 WHERE connection_id = ? AND retry_at > 0 AND state IN ('planned', 'starting', 'running')`,
    connectionId,
  );
  store.run(
    'UPDATE waits SET next_at = ?1 WHERE connection_id = ?2 AND next_at > ?1',
    now,
    connectionId,
  );
}

/**
 * Ms until the next transfer or file that waits for a certain time is due; null when nothing waits. `engine` and `wall` are the current
 * times, epoch ms: transfers wait by engine time, files by this computer's clock.
 */
export function nextDueIn(
  store: Store,
  { engine, wall }: { readonly engine: number; readonly wall: number },
): number | null {
  const sql = `SELECT min(ms) AS ms FROM (
       SELECT min(retry_at) - ?1 AS ms FROM transfers WHERE state = 'planned' AND retry_at > ?1
       UNION ALL SELECT min(retry_at) - ?1 FROM transfers WHERE state = 'registered' AND retry_at > ?1
       UNION ALL SELECT min(retry_at) - ?1 FROM transfers WHERE state = 'unknown' AND retry_at > ?1
       UNION ALL SELECT min(hold_until) - ?1 FROM batches INDEXED BY batches_held WHERE hold_until > ?1
       UNION ALL SELECT min(retry_at) - ?1 FROM items INDEXED BY items_postponed
         WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 0 AND retry_at > ?1
       UNION ALL SELECT min(retry_at) - ?2 FROM items INDEXED BY items_again
         WHERE state = 'queued' AND fingerprint IS NULL AND retry_at > ?2)`;
  return store.one((row) => integerOrNull(row, 'ms'), sql, engine, wall);
}

/** Why a batch with waiting transfers is held, among the requested batch ids (all when null); null when none is held. */
export function heldBatches(
  store: Store,
  connectionId: number,
  bases: readonly string[] | null,
  now: number,
): { readonly code: ErrorCode; readonly detail: string | null } | null {
  const sql = `SELECT hold_code, hold_detail FROM batches WHERE connection_id = ?1 AND hold_until > ?3 AND ${HAS_WAITING} LIMIT 1`;
  const row = store.get(sql, connectionId, bases, now);
  const code = row === null ? null : codeOrNull(row, 'hold_code');
  return row === null || code === null ? null : { code, detail: textOrNull(row, 'hold_detail') };
}

/**
 * True while a transfer is in progress, or may start because its batch is not held, among the requested batch ids (all when null). What is
 * in doubt in a held batch waits, too: that it is not there is only decided when it may be sent again.
 */
export function somethingMoves(
  store: Store,
  connectionId: number,
  bases: readonly string[] | null,
  now: number,
): boolean {
  const sql = `SELECT 1 FROM transfers JOIN batches ON batches.id = transfers.batch_row
     WHERE batches.connection_id = ?1 AND (?2 IS NULL OR base_id IN (SELECT value FROM json_each(?2)))
       AND (transfers.state IN ('sending', 'sent')
         OR (transfers.state IN ('planned', 'registered', 'unknown') AND (hold_until IS NULL OR hold_until <= ?3))) LIMIT 1`;
  return store.has(sql, connectionId, bases, now);
}

/** Ends pauses that are longer than any pause can be: the clock was wrong when they were written. */
export function clampPauses(store: Store, now: number, longestMs: number): void {
  const sql = `UPDATE transfers SET retry_at = ?1 WHERE state IN ('planned', 'registered', 'unknown') AND retry_at > ?2`;
  store.run(sql, now, now + longestMs);
  store.run('UPDATE batches SET hold_until = ?1 WHERE hold_until > ?2', now, now + longestMs);
  store.run(
    `UPDATE items SET retry_at = ?1 WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 0 AND retry_at > ?2`,
    now,
    now + longestMs,
  );
  store.run('UPDATE waits SET next_at = ?1 WHERE next_at > ?2', now, now + longestMs);
}
