/** Transfers in the ledger: planned with their manifest, sent, and what is known after each try. */
import type { SignedUpload } from '../../core/model.ts';
import { shownCode, type SluiceError } from '../../core/errors.ts';
import {
  codeOrNull,
  integer,
  integerOrNull,
  oneOf,
  oneOfOrNull,
  type Row,
  textOrNull,
} from '../rows.ts';
import type { Store } from '../store.ts';
import {
  move,
  moveItemsOf,
  moveToPlaces,
  moveTransfers,
  type PlannedMember,
  TRANSFER_STATES,
} from '../transitions.ts';

/** One image or video, or a shard: an archive of images. */
export const TRANSFER_KINDS = ['image', 'video', 'shard'] as const;

/** How the bytes of a transfer were proved: see migration 0009. */
export const PROOFS = ['checksum', 'verify'] as const;

export function toTransfer(row: Row) {
  return {
    id: integer(row, 'id'),
    batchRow: integer(row, 'batch_row'),
    kind: oneOf(row, 'kind', TRANSFER_KINDS),
    state: oneOf(row, 'state', TRANSFER_STATES),
    sizeBytes: integer(row, 'size_bytes'),
    notification: textOrNull(row, 'notification'),
    /** A secret. */
    uploadUrl: textOrNull(row, 'upload_url'),
    uploadHeaders: textOrNull(row, 'upload_headers'),
    urlExpiresAt: integerOrNull(row, 'url_expires_at'),
    lastCode: codeOrNull(row, 'last_code'),
    retryAt: integer(row, 'retry_at'),
    /** How many tries have begun. A shard's try begins with its registration, before the last look at its batch. */
    attempts: integer(row, 'attempts'),
    /** An earlier try may have arrived. */
    doubtful: integer(row, 'doubtful') === 1,
    lastByteAt: integerOrNull(row, 'last_byte_at'),
    /**
     * When the absence of the transfer was proved, after it had been sent; 0 when that must be proved again; null when it was never lost.
     * Engine time.
     */
    absentAt: integerOrNull(row, 'absent_at'),
    /** When the service accepted the last byte, engine time; null before that. */
    sentAt: integerOrNull(row, 'sent_at'),
    proof: oneOfOrNull(row, 'proof', PROOFS),
    /** How many addresses in a row were refused since the last success. */
    addresses: integer(row, 'addresses'),
    failingSince: integerOrNull(row, 'failing_since'),
  };
}

export type Transfer = Readonly<ReturnType<typeof toTransfer>>;

export function transferById(store: Store, id: number): Transfer | null {
  return store.one(toTransfer, 'SELECT * FROM transfers WHERE id = ?', id);
}

/** A body that was sent, and then proved to be absent. Engine time. */
export interface LostBody {
  /** The latest time at which a byte of it can have left. */
  readonly lastByteAt: number;
  /** When a list proved that it is not there; 0 when that must be proved again. */
  readonly absentAt: number;
}

/** A transfer to add to a batch. */
export interface PlannedTransfer extends Pick<Transfer, 'kind' | 'sizeBytes' | 'notification'> {
  /** Set when its members were sent before, in a body that was lost. */
  readonly lost?: LostBody | null;
  readonly members: readonly PlannedMember[];
}

/** Adds transfers with their manifests; their items become planned. Returns their ids. */
export function addTransfers(
  store: Store,
  batchRow: number,
  planned: readonly PlannedTransfer[],
  now: number,
): readonly number[] {
  const manifests = planned.map(({ kind, sizeBytes, notification, members, lost = null }) => {
    const { lastId } = store.run(
      `INSERT INTO transfers (batch_row, kind, state, size_bytes, notification, state_at, last_byte_at, absent_at)
       VALUES (?, ?, 'planned', ?, ?, ?, ?, ?)`,
      batchRow,
      kind,
      sizeBytes,
      notification,
      now,
      lost?.lastByteAt ?? null,
      lost?.absentAt ?? null,
    );
    return { transferId: lastId, members };
  });
  moveToPlaces(store, batchRow, manifests, now);
  return manifests.map(({ transferId }) => transferId);
}

/** The newest transfer's id; 0 when there is none. */
export function newestTransfer(store: Store): number {
  return store.count('SELECT coalesce(max(id), 0) AS count FROM transfers');
}

/** Saves a signed address before the first byte goes to it. */
export function saveUpload(
  store: Store,
  id: number,
  upload: Pick<SignedUpload, 'url' | 'headers' | 'expiresAt'>,
  now: number,
): void {
  move(store, 'transfers', id, 'registered', now);
  const sql =
    'UPDATE transfers SET upload_url = ?, upload_headers = ?, url_expires_at = ? WHERE id = ?';
  store.run(sql, upload.url, JSON.stringify(upload.headers), upload.expiresAt, id);
}

/** Moves transfers and their items to sending. Committed before the first byte leaves. A proof of absence holds for one try. */
export function beginSending(store: Store, ids: readonly number[], now: number): void {
  const also = 'attempts = attempts + 1, absent_at = iif(absent_at IS NULL, NULL, 0)';
  moveTransfers(store, ids, 'sending', now, also);
  moveItemsOf(store, ids, ['planned'], 'sending', now);
}

/** A transfer whose body the service accepted. */
export interface SentTransfer {
  readonly id: number;
  /** The hashes of members that had none. */
  readonly hashes: readonly (readonly [itemId: number, hash: string])[];
  readonly proof: Transfer['proof'];
}

/** Notes that the service accepted the bodies, the last one at the time `at`: keeps hashes and proofs, forgets the addresses. */
export function markSent(
  store: Store,
  sent: readonly SentTransfer[],
  at: number,
  now: number,
): void {
  for (const [proof, proved] of Map.groupBy(sent, (transfer) => transfer.proof)) {
    const also = `upload_url = NULL, upload_headers = NULL, last_byte_at = ?4, sent_at = ?4, absent_at = NULL, proof = ?5,
       last_code = NULL, addresses = 0, failing_since = NULL`;
    const ids = proved.map(({ id }) => id);
    moveTransfers(store, ids, 'sent', now, also, at, proof);
    moveItemsOf(store, ids, ['sending', 'unknown'], 'sent', now);
  }
  for (const [itemId, hash] of sent.flatMap(({ hashes }) => hashes)) {
    const sql = 'UPDATE items SET content_hash = ? WHERE id = ? AND content_hash IS NULL';
    store.run(sql, hash, itemId);
  }
}

/**
 * Remembers how a try failed and when the next may begin. Since when it has been failing stays the same, unless the clock was set back to
 * before that.
 */
export function noteFailure(
  store: Store,
  { id }: Pick<Transfer, 'id'>,
  error: SluiceError,
  retryAt: number,
  now: number,
): void {
  const sql = `UPDATE transfers SET last_code = ?1, retry_at = ?2, failing_since = min(coalesce(failing_since, ?3), ?3) WHERE id = ?4`;
  store.run(sql, shownCode(error), retryAt, now, id);
}

/** Puts a transfer back into the queue; a kept address is used again, otherwise a new one is requested. */
export function requeueTransfer(
  store: Store,
  transfer: Pick<Transfer, 'id'>,
  keepAddress: boolean,
  now: number,
): void {
  const present = transferById(store, transfer.id);
  const kept = keepAddress && present?.uploadUrl !== null;
  const back = kept ? 'registered' : 'planned';
  // A try that ended before its first byte may be in that state already.
  if (present?.state !== back) move(store, 'transfers', transfer.id, back, now);
  if (!kept) forgetAddress(store, transfer.id);
  moveItemsOf(store, [transfer.id], ['sending', 'unknown'], 'planned', now);
}

/** Gives the members of a transfer that was never sent other names. */
export function renameMembers(store: Store, id: number, members: readonly PlannedMember[]): void {
  const sql = `UPDATE items SET name = named.value ->> 1, name_key = named.value ->> 2
     FROM json_each(?2) AS named WHERE items.id = named.value ->> 0 AND items.transfer_id = ?1`;
  store.run(
    sql,
    id,
    members.map(({ itemId, name, nameKey }) => [itemId, name, nameKey]),
  );
}

export function forgetAddress(store: Store, id: number): void {
  const sql =
    'UPDATE transfers SET upload_url = NULL, upload_headers = NULL, url_expires_at = NULL WHERE id = ?';
  store.run(sql, id);
}

/**
 * Notes that it is not known whether the body arrived; the service is asked from `askAt` on. If the transfer was lost before, its lost
 * body, which went to another address, may have arrived after all.
 */
export function markUnknown(
  store: Store,
  id: number,
  times: { lastByteAt: number; askAt: number },
  now: number,
): void {
  move(store, 'transfers', id, 'unknown', now);
  const sql =
    'UPDATE transfers SET doubtful = 1, absent_at = iif(absent_at IS NULL, NULL, 0), last_byte_at = ?, retry_at = ? WHERE id = ?';
  store.run(sql, times.lastByteAt, times.askAt, id);
  moveItemsOf(store, [id], ['sending', 'planned'], 'unknown', now);
}

/** Counts a refused address: the number of refusals in a row decides whether the next address is requested at once. */
export function countAddress(store: Store, id: number): void {
  store.run('UPDATE transfers SET addresses = addresses + 1 WHERE id = ?', id);
}

/** Notes that the service stored other bytes than ours: a later "it exists" proves nothing until each member was compared. */
export function markDamaged(store: Store, id: number): void {
  const sql = `UPDATE transfers SET doubtful = 1, absent_at = NULL, proof = 'verify' WHERE id = ?`;
  store.run(sql, id);
}

/** Sets the time from which an accepted transfer is given time to be listed (engine time). */
export function noteLastByte(store: Store, id: number, at: number): void {
  store.run('UPDATE transfers SET last_byte_at = ? WHERE id = ?', at, id);
}

/** Sets when the service is asked again about an unknown transfer. */
export function askLater(store: Store, id: number, at: number): void {
  store.run('UPDATE transfers SET retry_at = ? WHERE id = ?', at, id);
}

/**
 * Gives up a transfer whose manifest can never be sent as planned; `confirmed`: the service listed some of its items. Those that are not
 * listed are queued again under their names.
 */
export function dropTransfer(
  store: Store,
  id: number,
  now: number,
  to: 'dropped' | 'confirmed' = 'dropped',
): void {
  move(store, 'transfers', id, to, now);
  forgetAddress(store, id);
  moveItemsOf(store, [id], ['planned', 'sending', 'unknown'], 'queued', now);
  const sql = `UPDATE items SET transfer_id = NULL, position = NULL WHERE transfer_id = ? AND state = 'queued'`;
  store.run(sql, id);
}

/**
 * Called when the pipeline of a connection starts: transfers that were being sent become doubtful, as sent at `now` (engine time). So do those
 * that were to be sent once more: by now, others may use their names, unless these hold our damaged bodies. Earlier last bytes are moved by
 * `laterMs`, but not into the future; with null, they count from now, too. Returns how many became doubtful.
 */
export function recoverSending(
  store: Store,
  connectionId: number,
  { now, laterMs }: { readonly now: number; readonly laterMs: number | null },
  wall: number,
): number {
  const of = 'batch_row IN (SELECT id FROM batches WHERE connection_id = ?1)';
  const sql = `UPDATE transfers SET last_byte_at = min(?2, coalesce(last_byte_at + ?3, ?2)), sent_at = min(sent_at, ?2),
       retry_at = iif(state = 'unknown', 0, retry_at)
     WHERE state IN ('sent', 'unknown') AND ${of}`;
  store.run(sql, connectionId, now, laterMs);
  const doubtful = `(state = 'sending' OR state = 'registered' AND doubtful = 1 AND proof IS NULL)`;
  const ids = store.ids(`SELECT id FROM transfers WHERE ${doubtful} AND ${of}`, connectionId);
  for (const id of ids) markUnknown(store, id, { lastByteAt: now, askAt: 0 }, wall);
  return ids.length;
}
