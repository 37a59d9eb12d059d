/** Batches in the ledger, and the names that they hold. */
import { generationId } from '../../core/batchNames.ts';
import { MEDIA_KINDS } from '../../core/model.ts';
import { type ErrorCode, ok, type Result, usage } from '../../core/errors.ts';
import { codeOrNull, integer, integerOrNull, oneOf, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { BATCH_STATES, move } from '../transitions.ts';
import { clearWait } from './waits.ts';

export type BatchMode = 'single' | 'bulk';

const MODES = ['single', 'bulk'] as const;

function toBatch(row: Row) {
  return {
    id: integer(row, 'id'),
    connectionId: integer(row, 'connection_id'),
    baseId: text(row, 'base_id'),
    generation: integer(row, 'generation'),
    batchId: text(row, 'batch_id'),
    displayName: textOrNull(row, 'display_name'),
    kind: oneOf(row, 'kind', MEDIA_KINDS),
    mode: oneOf(row, 'mode', MODES),
    state: oneOf(row, 'state', BATCH_STATES),
    /** Only this ledger fills the batch, as far as is known: it was empty at first, and nothing of others has been seen in it since. */
    isExclusive: integer(row, 'created_here') === 1,
    /** When this ledger opened the batch, epoch ms by this computer's clock. */
    createdAt: integer(row, 'created_at'),
    /** When the batch expires, by the service's clock, epoch ms. */
    expiresAt: integerOrNull(row, 'expires_at'),
    /** The id contains the name of this computer: others are not expected to fill the batch. */
    hasHostInId: integer(row, 'host_own') === 1,
    /** The longest time that a file has taken to be listed so far, in ms; null when nothing was listed yet. */
    lagMs: integerOrNull(row, 'lag_ms'),
    /** Why nothing is sent there for now; null when it is not held. */
    holdCode: codeOrNull(row, 'hold_code'),
    /** What the service said then, and about which files. */
    holdDetail: textOrNull(row, 'hold_detail'),
  };
}

export type Batch = Readonly<ReturnType<typeof toBatch>>;

/** True for a batch in which nothing is in progress, as SQL: its list is not read any more, so what is confirmed stays confirmed. */
export const IS_AT_REST = `NOT EXISTS (SELECT 1 FROM batch_counts WHERE batch_row = batches.id
  AND batch_counts.state IN ('planned', 'sending', 'sent', 'unknown') AND count > 0)`;

export function batchByRow(store: Store, id: number): Batch | null {
  return store.one(toBatch, 'SELECT * FROM batches WHERE id = ?', id);
}

/** The batch with this id on the service; null when this ledger does not know it. */
export function batchByServiceId(
  store: Store,
  connectionId: number,
  batchId: string,
): Batch | null {
  const sql = 'SELECT * FROM batches WHERE connection_id = ? AND batch_id = ?';
  return store.one(toBatch, sql, connectionId, batchId);
}

/** Changes a batch that a person named. Error: usage.invalid for one that is not in the ledger. */
export function changeNamedBatch(
  { store, connectionId }: { readonly store: Store; readonly connectionId: number },
  batchId: string,
  change: (batchRow: number) => void,
): Result<null> {
  const batch = batchByServiceId(store, connectionId, batchId);
  if (batch === null) return usage('this batch was not created here');
  store.transaction(() => change(batch.id));
  return ok(null);
}

export function newestGeneration(store: Store, connectionId: number, baseId: string): Batch | null {
  const sql =
    'SELECT * FROM batches WHERE connection_id = ? AND base_id = ? ORDER BY generation DESC LIMIT 1';
  return store.one(toBatch, sql, connectionId, baseId);
}

/** The next generation after the newest whose id is not the id of another batch. */
export function nextGeneration(store: Store, connectionId: number, baseId: string): number {
  let next = (newestGeneration(store, connectionId, baseId)?.generation ?? 0) + 1;
  while (batchByServiceId(store, connectionId, generationId(baseId, next)) !== null) next += 1;
  return next;
}

export function addBatch(
  store: Store,
  batch: Omit<
    Batch,
    'id' | 'state' | 'createdAt' | 'expiresAt' | 'lagMs' | 'holdCode' | 'holdDetail' | 'hasHostInId'
  > & { readonly hasHostInId?: boolean },
  watchId: number | null,
  now: number,
): Batch {
  const row = store.get(
    `INSERT INTO batches (connection_id, base_id, generation, batch_id, display_name, kind, mode, state, created_here, host_own, watch_id, created_at, state_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?) RETURNING *`,
    batch.connectionId,
    batch.baseId,
    batch.generation,
    batch.batchId,
    batch.displayName,
    batch.kind,
    batch.mode,
    batch.isExclusive,
    batch.hasHostInId === true,
    watchId,
    now,
    now,
  );
  return toBatch(row ?? {});
}

/**
 * Makes a watch that fills a batch also the watch that closes it, if no other watch does: the batch was opened by a command, by a watch
 * that was removed, or by the watch of a command that has ended. The batch of a paused watch stays with that watch.
 */
export function adoptBatch(store: Store, id: number, watchId: number): void {
  const isFree = `SELECT 1 FROM batches LEFT JOIN watches ON watches.id = watch_id WHERE batches.id = ? AND watch_id IS NOT ?
     AND (watches.id IS NULL OR watches.state = 'removed' OR watches.one_off = 1)`;
  if (!store.has(isFree, id, watchId)) return;
  store.transaction(() => store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watchId, id));
}

/** True once the batch was marked as filled by others too. */
export function isShared(store: Store, id: number): boolean {
  return store.has('SELECT 1 FROM batches WHERE id = ? AND created_here = 0', id);
}

/** Marks the batch as filled by others, too: from now on its names are read, and its count proves nothing. */
export function markShared(store: Store, batch: Batch): Batch {
  store.run('UPDATE batches SET created_here = 0 WHERE id = ?', batch.id);
  return { ...batch, isExclusive: false };
}

/** Starts the expiry of a batch with its first delivery, unless it has started. */
export function startExpiry(store: Store, id: number, now: number, retentionMs: number): void {
  const sql =
    'UPDATE batches SET first_sent_at = ?1, expires_at = coalesce(expires_at, ?2) WHERE id = ?3 AND first_sent_at IS NULL';
  store.run(sql, now, now + retentionMs, id);
}

/** Batches of a connection that may have expired: the service is asked before anything is done. */
export function batchesToExpire(store: Store, connectionId: number, now: number): readonly Batch[] {
  const sql = `SELECT * FROM batches INDEXED BY batches_expiry
       WHERE expires_at <= ? AND state <> 'expired' AND connection_id = ?`;
  return store.list(toBatch, sql, now, connectionId);
}

/** Sets when a batch expires as the service states it, or when to ask again. */
export function setExpiry(store: Store, id: number, expiresAt: number): void {
  store.run('UPDATE batches SET expires_at = ? WHERE id = ?', expiresAt, id);
}

/** Marks a batch that no longer exists on the service. */
export function expireBatch(store: Store, id: number, now: number): void {
  move(store, 'batches', id, 'expired', now);
}

/** True for a batch that ended long before the service would delete it by itself: a person deleted it there. */
export function endedEarly(store: Store, id: number, retentionMs: number): boolean {
  const sql = `SELECT 1 FROM batches WHERE id = ? AND state = 'expired' AND expires_at < first_sent_at + ?`;
  return store.has(sql, id, retentionMs / 2);
}

/** Holds a batch: nothing is sent to it before `until`, engine time. */
export function holdBatch(
  store: Store,
  id: number,
  hold: { readonly code: ErrorCode; readonly detail: string | null; readonly until: number },
): void {
  const sql = 'UPDATE batches SET hold_code = ?, hold_detail = ?, hold_until = ? WHERE id = ?';
  store.run(sql, hold.code, hold.detail, hold.until, id);
}

/**
 * Ends the hold and its wait. If the service accepts files for the batch again, files that were refused meanwhile may have been refused
 * because of their own content: they are tried again now, not when the hold would have ended.
 */
export function clearHold(
  store: Store,
  { id, connectionId, batchId }: Pick<Batch, 'id' | 'connectionId' | 'batchId'>,
): void {
  const sql =
    'UPDATE batches SET hold_code = NULL, hold_detail = NULL, hold_until = NULL WHERE id = ?';
  store.run(sql, id);
  clearWait(store, connectionId, `hold:${batchId}`);
  retryNow(store, id);
}

/**
 * Ends the hold of a batch in which no file is open any more: all were confirmed after all, parked, skipped, or forgotten. Called before
 * other files are added, which were never refused. Files that go back to the queue still belong to the batch. Reads a few rows, however
 * large the batch is.
 */
export function endIdleHold(store: Store, batchRow: number): void {
  const batch = batchByRow(store, batchRow);
  if (batch === null || batch.holdCode === null) return;
  const waits = `SELECT 1 FROM batch_counts WHERE batch_row = ? AND count > 0
    AND state IN ('queued', 'planned', 'sending', 'unknown') LIMIT 1`;
  if (!store.has(waits, batchRow)) clearHold(store, batch);
}

function retryNow(store: Store, batchRow: number): void {
  const sql = `UPDATE transfers SET retry_at = 0 WHERE batch_row = ? AND state IN ('planned', 'registered') AND retry_at > 0`;
  store.run(sql, batchRow);
}

/** Makes a held batch due at once. */
export function releaseHold(store: Store, id: number): void {
  const sql = 'UPDATE batches SET hold_until = 0 WHERE id = ? AND hold_until IS NOT NULL';
  const { changes } = store.run(sql, id);
  if (changes > 0) retryNow(store, id);
}

/** The same for the batches with these ids: a batch that a person requests again is tried at once. */
export function releaseHolds(store: Store, connectionId: number, baseIds: readonly string[]): void {
  const sql = `SELECT id FROM batches WHERE connection_id = ? AND hold_until IS NOT NULL
       AND base_id IN (SELECT value FROM json_each(?))`;
  const held = store.ids(sql, connectionId, baseIds);
  for (const id of held) releaseHold(store, id);
}

/** Remembers the longest time that a file has taken to be listed so far. */
export function noteLag(store: Store, id: number, lagMs: number): void {
  store.run('UPDATE batches SET lag_ms = max(coalesce(lag_ms, 0), ?) WHERE id = ?', lagMs, id);
}

/** Closes a batch to new items; does nothing when it is already closed. */
export function sealBatch(store: Store, id: number, now: number): void {
  if (batchByRow(store, id)?.state === 'open') move(store, 'batches', id, 'sealed', now);
}

/**
 * Our item that holds this name in the batch: sent, in progress, or ignored by a person, since it may have arrived. null when
 * the name is free.
 */
export function nameHolder(store: Store, batchRow: number, nameKey: string): number | null {
  const sql = `SELECT id FROM items WHERE batch_row = ?1 AND name_key = ?2 AND state <> 'skipped'
     UNION ALL SELECT id FROM items WHERE batch_row = ?1 AND name_key = ?2 AND reason = 'item.ignored' LIMIT 1`;
  return store.one((row) => integer(row, 'id'), sql, batchRow, nameKey);
}

/** True when no other item of ours holds this name in the batch. */
export function isNameFree(
  store: Store,
  batchRow: number,
  nameKey: string,
  itemId: number,
): boolean {
  const holder = nameHolder(store, batchRow, nameKey);
  return holder === null || holder === itemId;
}

/** How many items of ours a batch holds or will hold. */
export function batchSize(store: Store, batchRow: number): number {
  const sql = `SELECT coalesce(sum(count), 0) AS count FROM batch_counts WHERE batch_row = ? AND state <> 'skipped'`;
  return store.count(sql, batchRow);
}

/** Pauses or resumes the transfers of a batch that have not started. */
export function pauseBatch(store: Store, id: number, paused: boolean): void {
  store.run('UPDATE batches SET paused = ? WHERE id = ?', paused, id);
}
