/** Items in the ledger: looked up by path and by content, added, updated. transitions.ts moves their state. */
import { BACKOFF_MAX_MS, REREADS_AFTER_UNSTABLE } from '../../core/limits.ts';
import { type Fingerprint, ITEM_STATES, type MediaKind, type Stamp } from '../../core/model.ts';
import { isFingerprint, isStamp, noStamp } from '../../core/ids.ts';
import { codeOrNull, integer, integerOrNull, oneOf, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { moveItem, type Reason } from '../transitions.ts';

export const COLUMNS = `items.id, items.destination_id, items.path, items.relative_path, items.size_bytes,
  items.stamp, items.fingerprint, items.content_hash, items.state, items.reason, items.detail, items.base_id,
  items.batch_row, items.name, items.transfer_id, items.tries, items.rereads, items.found_at`;

/** A damaged stamp only means that the file is checked again. */
function readStamp(row: Row): Stamp {
  const stamp = text(row, 'stamp');
  return isStamp(stamp) ? stamp : noStamp();
}

export function readFingerprint(row: Row): Fingerprint | null {
  const fingerprint = textOrNull(row, 'fingerprint');
  return fingerprint !== null && isFingerprint(fingerprint) ? fingerprint : null;
}

/** Reads a row of COLUMNS. */
export function toItem(row: Row) {
  return {
    id: integer(row, 'id'),
    destinationId: integer(row, 'destination_id'),
    path: text(row, 'path'),
    relativePath: text(row, 'relative_path'),
    sizeBytes: integer(row, 'size_bytes'),
    stamp: readStamp(row),
    fingerprint: readFingerprint(row),
    contentHash: textOrNull(row, 'content_hash'),
    state: oneOf(row, 'state', ITEM_STATES),
    reason: codeOrNull(row, 'reason'),
    detail: textOrNull(row, 'detail'),
    /** The batch id that a rule chose, or null; `batchRow` is the batch that was opened for it. */
    baseId: textOrNull(row, 'base_id'),
    batchRow: integerOrNull(row, 'batch_row'),
    name: textOrNull(row, 'name'),
    transferId: integerOrNull(row, 'transfer_id'),
    tries: integer(row, 'tries'),
    /** How often the file had to be read again, because it read differently than expected or was locked. */
    rereads: integer(row, 'rereads'),
    /** When the file was first identified, epoch ms. */
    foundAt: integer(row, 'found_at'),
  };
}

export type Item = Readonly<ReturnType<typeof toItem>>;

export function itemById(store: Store, id: number): Item | null {
  return store.one(toItem, `SELECT ${COLUMNS} FROM items WHERE id = ?`, id);
}

/**
 * The newest item of each path within a destination. With `ignoreExpired`, items whose batch has expired do not count: an
 * explicit upload sends them again, unless a person chose to ignore them, or they are queued and go to the next batch anyway.
 */
export function newestByPath(
  store: Store,
  destinationId: number,
  paths: readonly string[],
  ignoreExpired: boolean,
): ReadonlyMap<string, Item> {
  const sql = `SELECT ${COLUMNS}, max(items.id) FROM items
     LEFT JOIN batches ON batches.id = items.batch_row
     WHERE destination_id = ?1 AND path IN (SELECT value FROM json_each(?2))
       AND (?3 = 0 OR batches.id IS NULL OR batches.state <> 'expired' OR items.state = 'queued'
         OR items.reason = 'item.ignored')
     GROUP BY path`;
  const rows = store.all(sql, destinationId, paths, ignoreExpired);
  return new Map(rows.map((row) => [text(row, 'path'), toItem(row)]));
}

/** The facts that a scan needs about each path, and no more: there may be a million paths every few minutes. */
export type KnownFile = Pick<Item, 'stamp' | 'reason'>;

/** The facts a scan needs, for the newest item of each path within a destination. */
export function knownFiles(
  store: Store,
  destinationId: number,
  paths: readonly string[],
): ReadonlyMap<string, KnownFile> {
  const sql = `SELECT path, stamp, reason, max(id) FROM items
     WHERE destination_id = ?1 AND path IN (SELECT value FROM json_each(?2)) GROUP BY path`;
  const rows = store.all(sql, destinationId, paths);
  return new Map(
    rows.map((row) => [
      text(row, 'path'),
      { stamp: readStamp(row), reason: codeOrNull(row, 'reason') },
    ]),
  );
}

/** Which of these fingerprints the ledger knows from anything but duplicates. */
export function knownContent(store: Store, fingerprints: readonly Fingerprint[]): Set<string> {
  const sql = `SELECT value AS fingerprint FROM json_each(?) WHERE EXISTS (SELECT 1 FROM items INDEXED BY items_fingerprint
       WHERE substr(items.fingerprint, 1, 28) = substr(value, 1, 28) AND items.fingerprint = value
         AND items.duplicate_of IS NULL)`;
  const rows = store.all(sql, fingerprints);
  return new Set(rows.map((row) => text(row, 'fingerprint')));
}

/**
 * Where content goes: a destination, and the batch id that its rule chose (null: everything goes to the batch that the destination is named
 * after).
 */
export interface ContentPlace {
  readonly destinationId: number;
  readonly baseId: string | null;
}

/**
 * Items that brought or will bring this content to a place, oldest first: those of the destination, and those that came to the same batch
 * through another destination. A watch has its own destination; an upload has a destination that is named after its batch.
 */
export function itemsWithContent(
  store: Store,
  { destinationId, baseId }: ContentPlace,
  fingerprint: Fingerprint,
  ignoreExpired: boolean,
): readonly Item[] {
  const sql = `SELECT ${COLUMNS} FROM items INDEXED BY items_fingerprint LEFT JOIN batches ON batches.id = items.batch_row
       WHERE substr(fingerprint, 1, 28) = substr(?1, 1, 28) AND fingerprint = ?1 AND duplicate_of IS NULL
         AND (destination_id = ?2 OR EXISTS (SELECT 1 FROM destinations AS own JOIN destinations AS theirs
           ON theirs.id = items.destination_id AND theirs.connection_id = own.connection_id
           WHERE own.id = ?2 AND (coalesce(?4, own.name) IN (batches.base_id, batches.batch_id, items.base_id)
             OR (coalesce(?4, own.name) = theirs.name
               AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = theirs.id)))))
         AND (items.state NOT IN ('skipped', 'parked') OR items.reason IN ('upload.unproven', 'shard.rejected', 'item.rejected'))
         AND (?3 = 0 OR batches.id IS NULL OR batches.state <> 'expired' OR items.state = 'queued')
       ORDER BY items.id`;
  return store.list(toItem, sql, fingerprint, destinationId, ignoreExpired, baseId);
}

/** What identification found out about a file. */
export interface Identified extends Pick<
  Item,
  'sizeBytes' | 'stamp' | 'fingerprint' | 'contentHash'
> {
  readonly kind: MediaKind | null;
  readonly state: 'queued' | 'skipped' | 'parked';
  readonly reason: Reason | null;
  readonly duplicateOf: number | null;
  /** Only for an item that must be identified again: not before this time, epoch ms. */
  readonly retryAt: number;
}

export function addItem(
  store: Store,
  place: Pick<Item, 'destinationId' | 'path' | 'relativePath' | 'baseId'> &
    Partial<Pick<Item, 'foundAt'>>,
  found: Identified,
  now: number,
): number {
  return store.run(
    `INSERT INTO items (destination_id, path, relative_path, base_id, kind, size_bytes, stamp, fingerprint, content_hash, state,
       reason, detail, duplicate_of, retry_at, found_at, state_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    place.destinationId,
    place.path,
    place.relativePath,
    place.baseId,
    found.kind,
    found.sizeBytes,
    found.stamp,
    found.fingerprint,
    found.contentHash,
    found.state,
    found.reason?.code ?? null,
    found.reason?.detail ?? null,
    found.duplicateOf,
    found.retryAt,
    place.foundAt ?? now,
    now,
  ).lastId;
}

/** True for an item that was skipped and never had a batch: when it is read again, it starts over, and the current rule chooses its batch. */
export function startsOver(item: Item): boolean {
  return item.state === 'skipped' && item.batchRow === null;
}

/** Updates an item that was never sent with what a new check found. */
export function reidentify(store: Store, item: Item, found: Identified, now: number): void {
  if (startsOver(item)) {
    store.run('UPDATE items SET base_id = NULL, found_at = ? WHERE id = ?', now, item.id);
  }
  if (item.state === 'parked' && found.fingerprint !== null) {
    // The file was read, so the count starts over; a file that was unstable gets fewer tries next time.
    const rereads = item.reason === 'item.unstable' ? REREADS_AFTER_UNSTABLE : 0;
    store.run('UPDATE items SET rereads = ? WHERE id = ?', rereads, item.id);
  }
  // Every resting state goes back through the first state, so that each move is legal.
  if (item.state !== 'queued') moveItem(store, item.id, 'queued', now);
  if (found.state !== 'queued') moveItem(store, item.id, found.state, now, found.reason);
  store.run(
    `UPDATE items SET kind = ?, size_bytes = ?, stamp = ?, fingerprint = ?, content_hash = ?, duplicate_of = ?, retry_at = ?,
       tries = tries + 1, transfer_id = NULL, position = NULL
     WHERE id = ?`,
    found.kind,
    found.sizeBytes,
    found.stamp,
    found.fingerprint,
    found.contentHash,
    found.duplicateOf,
    found.retryAt,
    item.id,
  );
}

/** Notes that the file was touched but its content did not change. */
export function updateStamp(store: Store, id: number, stamp: Stamp): void {
  store.run('UPDATE items SET stamp = ? WHERE id = ?', stamp, id);
}

/** Sends an item whose content may have changed back to identification, not before `retryAt`. */
export function forgetContent(store: Store, id: number, retryAt: number): void {
  const sql = 'UPDATE items SET fingerprint = NULL, content_hash = NULL, retry_at = ? WHERE id = ?';
  store.run(sql, retryAt, id);
}

/**
 * Items that are due to be identified again. A time further ahead than any pause was written by a wrong clock, and counts as
 * due.
 */
export function itemsToIdentify(store: Store, now: number, most: number): readonly Item[] {
  const within = (condition: string, instant: number): readonly Item[] =>
    store.list(
      toItem,
      `SELECT ${COLUMNS} FROM items INDEXED BY items_again
         WHERE state = 'queued' AND fingerprint IS NULL AND ${condition} ORDER BY id LIMIT ?`,
      instant,
      most,
    );
  const due = within('retry_at <= ?', now);
  return due.length > 0 ? due : within('retry_at > ?', now + 2 * BACKOFF_MAX_MS);
}

/** Notes that an item's file had to be read again. Returns how often that has happened. */
export function countReread(store: Store, item: Item): number {
  const rereads = item.rereads + 1;
  store.run('UPDATE items SET rereads = ? WHERE id = ?', rereads, item.id);
  return rereads;
}

/** The members of transfers, each in the order of its manifest; a transfer without any is left out. */
export function itemsOfTransfers(
  store: Store,
  transferIds: readonly number[],
): ReadonlyMap<number | null, readonly Item[]> {
  const sql = `SELECT ${COLUMNS} FROM items WHERE transfer_id IN (SELECT value FROM json_each(?)) ORDER BY transfer_id, position`;
  const items = store.list(toItem, sql, transferIds);
  return Map.groupBy(items, ({ transferId }) => transferId);
}

/** The members of a transfer in the order of its manifest. */
export function itemsOfTransfer(store: Store, transferId: number): readonly Item[] {
  return itemsOfTransfers(store, [transferId]).get(transferId) ?? [];
}

/** True when a file found in this period (epoch ms; `until` does not count) has no final state yet. */
export function hasOpenFoundIn(store: Store, from: number, until: number): boolean {
  const sql = `SELECT 1 FROM items WHERE found_at >= ? AND found_at < ? AND state NOT IN ('confirmed', 'skipped') LIMIT 1`;
  return store.has(sql, from, until);
}
