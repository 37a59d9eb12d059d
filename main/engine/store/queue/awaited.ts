/** What waits for evidence in a batch: items that were sent or are doubtful, to be matched with the names that the service lists. */
import { integer, integerOrNull, oneOf, oneOfOrNull, text, textOrNull, type Row } from '../rows.ts';
import { deleteMeta, readMeta, writeMeta } from '../meta.ts';
import type { Store } from '../store.ts';
import { PROOFS, TRANSFER_KINDS } from '../tables/transfers.ts';
import { ITEM_STATES } from '../../core/model.ts';
import { readFingerprint } from '../tables/items.ts';

/** Rows of the batches of a connection that have sent transfers, or doubtful ones that are due. */
export function batchesAwaiting(
  store: Store,
  connectionId: number,
  now: number,
): readonly number[] {
  const sql = `SELECT id FROM batches WHERE connection_id = ?1 AND (EXISTS (
       SELECT 1 FROM transfers INDEXED BY transfers_batch WHERE transfers.batch_row = batches.id AND state = 'sent')
       OR EXISTS (SELECT 1 FROM transfers INDEXED BY transfers_batch WHERE transfers.batch_row = batches.id
         AND state = 'unknown' AND retry_at <= ?2)) ORDER BY id`;
  return store.ids(sql, connectionId, now);
}

function toListed(row: Row) {
  return {
    itemId: integer(row, 'id'),
    state: oneOf(row, 'state', ITEM_STATES),
    transferId: integerOrNull(row, 'transfer_id'),
    proof: oneOfOrNull(row, 'proof', PROOFS),
    sentAt: integerOrNull(row, 'sent_at'),
    /** The latest time at which a byte of the file can have left; later than `sentAt` when it was sent again without an answer. */
    lastByteAt: integerOrNull(row, 'last_byte_at'),
  };
}

/** An item whose name the service lists. */
export type ListedItem = Readonly<ReturnType<typeof toListed>>;

/**
 * Our items in a batch that have one of these names, by the key of their name, except skipped ones. They are kept in memory until a list
 * has been read completely, so they are as small as possible.
 */
export function itemsNamed(
  store: Store,
  batchRow: number,
  keys: readonly string[],
): readonly (readonly [key: string, item: ListedItem])[] {
  const sql = `SELECT items.id, items.name_key, items.state, items.transfer_id, transfers.proof, transfers.sent_at, transfers.last_byte_at
       FROM json_each(?2) AS keys CROSS JOIN items INDEXED BY items_name
         ON items.batch_row = ?1 AND items.name_key = keys.value AND items.state <> 'skipped'
       LEFT JOIN transfers ON transfers.id = items.transfer_id`;
  return store.list((row) => [text(row, 'name_key'), toListed(row)] as const, sql, batchRow, keys);
}

/** An item's file as it was when it was planned. */
function toOwnFile(row: Row) {
  return {
    path: text(row, 'path'),
    stamp: text(row, 'stamp'),
    sizeBytes: integer(row, 'size_bytes'),
    /** Hash of the whole content; null when it was never hashed. */
    contentHash: textOrNull(row, 'content_hash'),
    fingerprint: readFingerprint(row),
  };
}

export type OwnFile = Readonly<ReturnType<typeof toOwnFile>>;

export function ownFiles(store: Store, itemIds: readonly number[]): ReadonlyMap<number, OwnFile> {
  const sql = `SELECT id, path, stamp, size_bytes, content_hash, fingerprint FROM items
     WHERE id IN (SELECT value FROM json_each(?))`;
  const rows = store.all(sql, itemIds);
  return new Map(rows.map((row) => [integer(row, 'id'), toOwnFile(row)]));
}

/** Number of confirmed members by transfer; transfers with none are left out. */
function confirmedIn(store: Store, ids: readonly number[]): ReadonlyMap<number, number> {
  const sql = `SELECT transfer_id, count(*) AS confirmed FROM items
     WHERE transfer_id IN (SELECT value FROM json_each(?)) AND state = 'confirmed' GROUP BY transfer_id`;
  const rows = store.all(sql, ids);
  return new Map(rows.map((row) => [integer(row, 'transfer_id'), integer(row, 'confirmed')]));
}

/** Every awaited transfer of a batch with missing members. `serviceNow` decides whether signed addresses are still valid. */
export function awaitedIn(store: Store, batchRow: number, serviceNow: number) {
  const sql = `SELECT transfers.id AS transfer_id, transfers.kind, transfers.state, transfers.last_byte_at, transfers.sent_at,
       transfers.upload_url IS NOT NULL AS has_url, transfers.absent_at, transfers.url_expires_at, transfers.retry_at, transfers.last_code,
       items.id, items.name_key, items.vanished
     FROM transfers INDEXED BY transfers_batch JOIN items ON items.transfer_id = transfers.id
     WHERE transfers.batch_row = ? AND transfers.state IN ('sent', 'unknown') AND items.state IN ('sent', 'unknown')
     ORDER BY transfers.id, items.position`;
  const rows = store.all(sql, batchRow);
  const found = Map.groupBy(rows, (row) => integer(row, 'transfer_id'));
  const confirmed = confirmedIn(store, [...found.keys()]);
  return [...found].map(([id, members]) => {
    const [first = {}] = members;
    const expiresAt = integerOrNull(first, 'url_expires_at');
    return {
      id,
      kind: oneOf(first, 'kind', TRANSFER_KINDS),
      state: oneOf(first, 'state', ['sent', 'unknown'] as const),
      /** The latest time at which a byte of the transfer can have left, engine time. */
      lastByteAt: integerOrNull(first, 'last_byte_at') ?? integerOrNull(first, 'sent_at') ?? 0,
      /** When the service accepted the last byte, engine time; null when it may not have. */
      sentAt: integerOrNull(first, 'sent_at'),
      urlAlive: integer(first, 'has_url') === 1 && (expiresAt === null || expiresAt > serviceNow),
      /** The transfer was lost before: an earlier body went to another address. */
      wasLost: integerOrNull(first, 'absent_at') !== null,
      /** Its last try ended because no answer came in time. */
      hasTimedOut: textOrNull(first, 'last_code') === 'network.timeout',
      retryAt: integer(first, 'retry_at'),
      /** Its members that the service has not listed. */
      missing: members.map((row) => ({
        itemId: integer(row, 'id'),
        key: textOrNull(row, 'name_key') ?? '',
        vanished: integer(row, 'vanished'),
      })),
      /** How many members are already confirmed. */
      confirmed: confirmed.get(id) ?? 0,
    };
  });
}

/** A transfer that is sent or doubtful. */
export type AwaitedTransfer = Readonly<ReturnType<typeof awaitedIn>[number]>;

/** Counts one more time that an accepted file was not found on the service. */
export function countVanished(store: Store, itemIds: readonly number[]): void {
  const sql =
    'UPDATE items SET vanished = vanished + 1 WHERE id IN (SELECT value FROM json_each(?))';
  store.run(sql, itemIds);
}

/** The file has changed: how often its earlier content was not found says nothing about the new one. */
export function forgetVanished(store: Store, itemId: number): void {
  store.run('UPDATE items SET vanished = 0 WHERE id = ?', itemId);
}

/** How many shard addresses the service gave us for a batch. */
export function registrationsIn(store: Store, batchRow: number): number {
  const row = store.get('SELECT registrations FROM batches WHERE id = ?', batchRow);
  return integer(row ?? {}, 'registrations');
}

/** Counts a shard address before it is used. */
export function countRegistration(store: Store, batchRow: number): void {
  store.run('UPDATE batches SET registrations = registrations + 1 WHERE id = ?', batchRow);
}

/** How many registrations without an answer are remembered for each batch. Our choice: more than run at the same time. */
const MOST_UNANSWERED = 64;

/**
 * When the registrations of shards of a batch began that were never answered, as far as this ledger knows, by the service's clock: each may
 * have left a shard that never gets a body.
 */
export function unansweredRegistrations(store: Store, batchRow: number): readonly number[] {
  const noted = readMeta(store, `registering:${batchRow}`);
  return noted === null ? [] : noted.split(' ').map(Number);
}

/** Notes that the registration of a shard begins, before the service can know it. */
export function beginRegistration(store: Store, batchRow: number, at: number): void {
  const all = [...unansweredRegistrations(store, batchRow), at].slice(-MOST_UNANSWERED);
  writeMeta(store, `registering:${batchRow}`, all.join(' '));
}

/** Notes that a registration that began at this time was answered. */
export function endRegistration(store: Store, batchRow: number, at: number): void {
  const all = [...unansweredRegistrations(store, batchRow)];
  const place = all.indexOf(at);
  if (place >= 0) all.splice(place, 1);
  if (all.length === 0) deleteMeta(store, `registering:${batchRow}`);
  else writeMeta(store, `registering:${batchRow}`, all.join(' '));
}

/** Transfers of a batch from which no byte left, or whose body was lost. */
export function untouchedTransfers(store: Store, batchRow: number): readonly number[] {
  const sql = `SELECT id FROM transfers INDEXED BY transfers_batch
     WHERE batch_row = ? AND state IN ('planned', 'registered') AND doubtful = 0`;
  return store.ids(sql, batchRow);
}

/**
 * Transfers of single files that an earlier run planned and never started. Since then, others may have filled a batch that looked empty, and
 * if the ledger is an older copy, the files may have been sent. Only in open batches: if files of a closed batch were planned again, they
 * would go to the next generation.
 */
export function plannedByEarlierRuns(store: Store, connectionId: number): readonly number[] {
  const sql = `SELECT transfers.id FROM batches CROSS JOIN transfers INDEXED BY transfers_batch ON transfers.batch_row = batches.id
     WHERE batches.connection_id = ? AND batches.state = 'open'
       AND transfers.state = 'planned' AND transfers.kind <> 'shard' AND transfers.doubtful = 0 AND transfers.upload_url IS NULL`;
  return store.ids(sql, connectionId);
}

/** Takes a queued item out of its transfer and batch, and removes its name: the object that is listed under that name is not ours. */
export function unassign(store: Store, itemId: number): void {
  const sql = `UPDATE items SET transfer_id = NULL, position = NULL, name = NULL, name_key = NULL, batch_row = NULL, proof = NULL,
       tries = tries + 1 WHERE id = ? AND state = 'queued'`;
  store.run(sql, itemId);
}

/** Remembers how the arrival of a file was proved whose transfer has no proof. */
export function noteProof(store: Store, itemId: number, proof: 'checksum' | 'content'): void {
  store.run('UPDATE items SET proof = ? WHERE id = ?', proof, itemId);
}

/** A listed object under a name that is not ours. `proof`: null when only samples of it were compared. */
export interface ListedObject {
  readonly name: string;
  readonly key: string;
  readonly proof: 'content' | null;
}

/** Gives an awaited item the name of the listed object that equals it. Does nothing if the item is no longer awaited in this batch. */
export function takeListedName(
  store: Store,
  item: { readonly id: number; readonly batchRow: number },
  { name, key, proof }: ListedObject,
): void {
  const sql = `UPDATE items SET name = ?, name_key = ?, proof = ? WHERE id = ? AND batch_row = ? AND state IN ('sent', 'unknown')`;
  store.run(sql, name, key, proof, item.id, item.batchRow);
}
