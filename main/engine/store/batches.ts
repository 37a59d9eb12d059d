/** Batches of the ledger and the names that stand in them. */
import { MEDIA_KINDS, type MediaKind } from '../model.ts';
import { integer, integerOrNull, oneOf, text, textOrNull, type Row } from './rows.ts';
import type { Store } from './store.ts';
import { BATCH_STATES, type BatchState, move } from './transitions.ts';

export type BatchMode = 'single' | 'bulk';

export interface Batch {
  readonly id: number;
  readonly connectionId: number;
  readonly baseId: string;
  readonly generation: number;
  readonly batchId: string;
  readonly displayName: string | null;
  readonly kind: MediaKind;
  readonly mode: BatchMode;
  readonly state: BatchState;
  /** This ledger made the batch: its first count answered 0. */
  readonly createdHere: boolean;
  readonly expiresAt: number | null;
}

const MODES = ['single', 'bulk'] as const;

function toBatch(row: Row): Batch {
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
    createdHere: integer(row, 'created_here') === 1,
    expiresAt: integerOrNull(row, 'expires_at'),
  };
}

/** The batch in this row; null when there is none. */
export function batchByRow(store: Store, id: number): Batch | null {
  const row = store.get('SELECT * FROM batches WHERE id = ?', id);
  return row === null ? null : toBatch(row);
}

/** The batch with this id at the service; null when this ledger does not know it. */
export function batchByServiceId(
  store: Store,
  connectionId: number,
  batchId: string,
): Batch | null {
  const row = store.get(
    'SELECT * FROM batches WHERE connection_id = ? AND batch_id = ?',
    connectionId,
    batchId,
  );
  return row === null ? null : toBatch(row);
}

/** The newest generation of a batch; null when there is none yet. */
export function newestGeneration(store: Store, connectionId: number, baseId: string): Batch | null {
  const row = store.get(
    'SELECT * FROM batches WHERE connection_id = ? AND base_id = ? ORDER BY generation DESC LIMIT 1',
    connectionId,
    baseId,
  );
  return row === null ? null : toBatch(row);
}

/** Every batch of a connection, oldest first. */
export function batchesOf(store: Store, connectionId: number): readonly Batch[] {
  return store
    .all('SELECT * FROM batches WHERE connection_id = ? ORDER BY id', connectionId)
    .map(toBatch);
}

/** Adds an open batch and returns it. */
export function addBatch(
  store: Store,
  batch: Omit<Batch, 'id' | 'state' | 'expiresAt'>,
  watchId: number | null,
  now: number,
): Batch {
  const { lastId } = store.run(
    `INSERT INTO batches (connection_id, base_id, generation, batch_id, display_name, kind, mode, state, created_here, watch_id, created_at, state_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?)`,
    batch.connectionId,
    batch.baseId,
    batch.generation,
    batch.batchId,
    batch.displayName,
    batch.kind,
    batch.mode,
    batch.createdHere ? 1 : 0,
    watchId,
    now,
    now,
  );
  return { ...batch, id: lastId, state: 'open', expiresAt: null };
}

/** From now on the batch counts as one that others fill too: names there are read, and the count proves nothing. */
export function shareBatch(store: Store, batch: Batch): Batch {
  store.run('UPDATE batches SET created_here = 0 WHERE id = ?', batch.id);
  return { ...batch, createdHere: false };
}

/** Starts the expiry clock of a batch with its first delivery, when it does not run yet. */
export function startExpiry(store: Store, id: number, now: number, retentionMs: number): void {
  store.run(
    'UPDATE batches SET first_sent_at = ?1, expires_at = ?2 WHERE id = ?3 AND first_sent_at IS NULL',
    now,
    now + retentionMs,
    id,
  );
}

/** Marks every batch whose time is over as expired. */
export function expireBatches(store: Store, now: number): void {
  const rows = store.all(
    `SELECT id FROM batches WHERE expires_at IS NOT NULL AND expires_at <= ? AND state <> 'expired'`,
    now,
  );
  for (const row of rows) move(store, 'batches', integer(row, 'id'), 'expired', now);
}

/** Closes a batch for new items; does nothing when it is closed already. */
export function sealBatch(store: Store, id: number, now: number): void {
  if (batchByRow(store, id)?.state === 'open') move(store, 'batches', id, 'sealed', now);
}

/** The item of ours, sent or on its way, that holds this name in the batch; null when the name is free. */
export function nameHolder(store: Store, batchRow: number, nameKey: string): number | null {
  const row = store.get(
    `SELECT id FROM items WHERE batch_row = ? AND name_key = ? AND state <> 'skipped'`,
    batchRow,
    nameKey,
  );
  return row === null ? null : integer(row, 'id');
}

/** Remembers, for this run and in memory only, the files that stood in a batch before we send, with their addresses. */
export function noteRemoteFiles(
  store: Store,
  batchRow: number,
  files: readonly { readonly key: string; readonly url: string }[],
): void {
  for (const { key, url } of files) {
    store.run('INSERT OR REPLACE INTO temp.remote_names VALUES (?, ?, ?)', batchRow, key, url);
  }
}

/** The address of the file that stood in the batch under this name at the last look; null when none did. A secret. */
export function remoteFileUrl(store: Store, batchRow: number, nameKey: string): string | null {
  const row = store.get(
    'SELECT url FROM temp.remote_names WHERE batch_row = ? AND name_key = ?',
    batchRow,
    nameKey,
  );
  return row === null ? null : text(row, 'url');
}

/** How many items of ours a batch holds or will hold. */
export function batchSize(store: Store, batchRow: number): number {
  const row = store.get(
    `SELECT count(*) AS count FROM items WHERE batch_row = ? AND state <> 'skipped'`,
    batchRow,
  );
  return integer(row ?? {}, 'count');
}

/** Holds back, or lets go, the transfers of a batch that have not started. */
export function pauseBatch(store: Store, id: number, paused: boolean): void {
  store.run('UPDATE batches SET paused = ? WHERE id = ?', paused ? 1 : 0, id);
}
