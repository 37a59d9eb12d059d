/** What the ledger knows about one path: its newest item in every destination, and where that went. */
import { codeOrNull, integer, integerOrNull, oneOf, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { ITEM_STATES } from '../../core/model.ts';

function toPathItem(row: Row) {
  const state = oneOf(row, 'state', ITEM_STATES);
  const isUnread = state === 'queued' && row['fingerprint'] === null;
  const original = textOrNull(row, 'original_path');
  return {
    id: integer(row, 'id'),
    workspace: text(row, 'workspace'),
    destination: text(row, 'destination'),
    batch: textOrNull(row, 'batch_id'),
    state,
    stateAt: integer(row, 'state_at'),
    foundAt: integer(row, 'found_at'),
    reason: codeOrNull(row, 'reason'),
    /** The error's facts as JSON; null when the code says it all. */
    detail: textOrNull(row, 'detail'),
    sizeBytes: integer(row, 'size_bytes'),
    stamp: text(row, 'stamp'),
    /** The content hash, BLAKE3 or SHA-256; `why --json` prints this name. */
    sha256: textOrNull(row, 'content_hash'),
    name: textOrNull(row, 'name'),
    /** The item is queued, and its content must be read (again) first. */
    isUnread,
    /** The item is not tried before this time; at once when it is 0 or has passed. */
    retryAt: (isUnread ? integer(row, 'retry_at') : integerOrNull(row, 'transfer_retry_at')) ?? 0,
    /** Why the last try of the item's transfer failed; null when it did not fail. */
    lastCode: codeOrNull(row, 'last_code'),
    /** For a duplicate: the file with the same content, and the state of that file's item. */
    original:
      original === null
        ? null
        : { path: original, state: oneOf(row, 'original_state', ITEM_STATES) },
  };
}

export type PathItem = Readonly<ReturnType<typeof toPathItem>>;

/** The newest item of the path in every destination, or only in those related to one batch id. */
export function itemsAtPath(
  store: Store,
  path: string,
  batchId: string | null,
): readonly PathItem[] {
  const sql = `SELECT items.*, max(items.id) AS newest, connections.workspace, destinations.name AS destination,
         batches.batch_id, transfers.retry_at AS transfer_retry_at, transfers.last_code,
         original.path AS original_path, original.state AS original_state
       FROM destinations
       CROSS JOIN items INDEXED BY items_path ON items.destination_id = destinations.id AND items.path = ?1
       JOIN connections ON connections.id = destinations.connection_id
       LEFT JOIN batches ON batches.id = items.batch_row
       LEFT JOIN transfers ON transfers.id = items.transfer_id
       LEFT JOIN items AS original ON original.id = items.duplicate_of
       WHERE ?2 IS NULL OR destinations.name = ?2 OR batches.batch_id = ?2 OR batches.base_id = ?2
       GROUP BY items.destination_id ORDER BY newest DESC`;
  return store.list(toPathItem, sql, path, batchId);
}
