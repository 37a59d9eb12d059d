/** The receipt of a batch: each of its files with its hash, its name on the service, and its state. Reads only. */
import { csvRows } from '../core/csv.ts';
import { hashKindOf } from '../core/ids.ts';
import { hashIfUnchanged } from '../core/unchanged.ts';
import type { Files } from '../core/ports.ts';
import {
  codeOrNull,
  integer,
  oneOf,
  oneOfOrNull,
  type Row,
  text,
  textOrNull,
} from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type HashKind, ITEM_STATES } from '../core/model.ts';
import { type ReceiptRow, RECEIPT_COLUMNS } from './receiptMerge.ts';

/**
 * The proof that a file arrived: `listed`, the service lists its name; `checksum`, the storage reported a checksum of what it
 * stored that matches the file; `content`, the stored object was downloaded and equals the file byte for byte.
 */
type Proof = 'listed' | 'checksum' | 'content';

export interface ReceiptLine extends ReceiptRow {
  /** `upload`: from the bytes that were sent or inspected; `file`: computed now from the unchanged file. */
  readonly sha256From: 'upload' | 'file' | null;
}

/** Batches with this id; several when several connections have one. A null filter matches every connection. */
export function receiptBatches(
  store: Store,
  batchId: string,
  apiUrl: string | null,
  workspace: string | null,
) {
  const sql = `SELECT batches.id, batches.batch_id, connections.api_url, connections.workspace FROM batches
       JOIN connections ON connections.id = batches.connection_id
       WHERE batches.batch_id = ?1 AND (?2 IS NULL OR connections.api_url = ?2)
         AND (?3 IS NULL OR connections.workspace = ?3) ORDER BY batches.id`;
  return store.all(sql, batchId, apiUrl, workspace).map((row) => ({
    row: integer(row, 'id'),
    batchId: text(row, 'batch_id'),
    apiUrl: text(row, 'api_url'),
    workspace: text(row, 'workspace'),
  }));
}

export type ReceiptBatch = Readonly<ReturnType<typeof receiptBatches>[number]>;

/** The proofs as the ledger stores them; `verify`: the service has an object that must be compared first. */
const KEPT_PROOFS = ['checksum', 'content', 'verify'] as const;

/** Rows read at a time: a long read must not hold up the ledger's journal. */
const PAGE = 500;
/** Files read at the same time, enough to keep the threads busy. Our choice. */
const READ_AT_ONCE = 8;

/** The items of a batch, and those whose content had already been sent as one of these. */
function page(store: Store, batchRow: number, after: number): readonly Row[] {
  const sql = `SELECT items.id, items.path, items.size_bytes, items.stamp, items.content_hash, items.fingerprint, items.state, items.reason,
       items.state_at, items.name, original.name AS sent_name, original.path AS sent_path,
       original.content_hash AS sent_hash, proved.state AS proved_state, coalesce(proved.proof, transfers.proof) AS proof
     FROM items LEFT JOIN items AS original ON original.id = items.duplicate_of
       LEFT JOIN items AS proved ON proved.id = CASE items.reason WHEN 'item.duplicate' THEN original.id ELSE items.id END
       LEFT JOIN transfers ON transfers.id = proved.transfer_id AND transfers.state IN ('sent', 'confirmed')
     WHERE items.id > ?2 AND (items.batch_row = ?1
       OR (items.batch_row IS NULL AND items.reason = 'item.duplicate' AND original.batch_row = ?1))
     ORDER BY items.id LIMIT ?3`;
  return store.all(sql, batchRow, after, PAGE);
}

/** The hash of a file if it was not touched since its upload; null when that is not certain. */
function hashNow(files: Files, row: Row, kind: HashKind): Promise<string | null> {
  return hashIfUnchanged(files, { path: text(row, 'path'), stamp: text(row, 'stamp') }, kind);
}

/** The proof for a file; for a duplicate, that of the file that was sent instead. */
function proofOf(row: Row): Proof[] {
  const known = oneOfOrNull(row, 'proof', KEPT_PROOFS);
  const stated = known === 'checksum' || known === 'content' ? [known] : [];
  return textOrNull(row, 'proved_state') === 'confirmed' ? ['listed', ...stated] : stated;
}

/**
 * What to read: the lines of a batch. `withSha256`: if the ledger has another hash of a file, its SHA-256 is computed, provided that the
 * file is unchanged.
 */
interface Reading {
  readonly files: Files;
  readonly batch: ReceiptBatch;
  readonly withSha256: boolean;
}

async function lineOf({ files, batch, withSha256 }: Reading, row: Row): Promise<ReceiptLine> {
  const reason = codeOrNull(row, 'reason');
  const repeats = reason === 'item.duplicate';
  const kept = textOrNull(row, 'content_hash') ?? (repeats ? textOrNull(row, 'sent_hash') : null);
  const state = oneOf(row, 'state', ITEM_STATES);
  // A large file whose delivery was proved after a crash was never hashed completely; a file that waits will be hashed when it is sent.
  const isDelivered = state === 'confirmed' || state === 'sent' || repeats;
  const kind = hashKindOf(textOrNull(row, 'fingerprint') ?? '');
  const hash = kept ?? (isDelivered ? await hashNow(files, row, kind) : null);
  const known = kept !== null && hashKindOf(kept) === 'sha256' ? kept : null;
  const sha256 = known ?? (isDelivered && withSha256 ? await hashNow(files, row, 'sha256') : null);
  return {
    path: text(row, 'path'),
    sizeBytes: integer(row, 'size_bytes'),
    sha256,
    sha256From: known !== null ? 'upload' : sha256 === null ? null : 'file',
    hash,
    name: repeats ? textOrNull(row, 'sent_name') : textOrNull(row, 'name'),
    batch: batch.batchId,
    state,
    reason,
    proof: proofOf(row),
    sentAs: repeats ? textOrNull(row, 'sent_path') : null,
    since: new Date(integer(row, 'state_at')).toISOString(),
  };
}

/** The lines of a batch in groups, in the order in which the files were found. Ends early when the signal aborts. */
export async function* readReceipt(
  store: Store,
  reading: Reading,
  signal: AbortSignal,
): AsyncGenerator<readonly ReceiptLine[]> {
  let after = 0;
  while (!signal.aborted) {
    const rows = page(store, reading.batch.row, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = integer(last, 'id');
    const lines: ReceiptLine[] = [];
    for (let from = 0; from < rows.length; from += READ_AT_ONCE) {
      if (signal.aborted) return;
      const group = rows.slice(from, from + READ_AT_ONCE);
      lines.push(...(await Promise.all(group.map((row) => lineOf(reading, row)))));
    }
    yield lines;
  }
}

export function receiptCsvHeading(): readonly string[] {
  return csvRows([Object.keys(RECEIPT_COLUMNS)]);
}

export function receiptCsv(rows: readonly ReceiptRow[]): readonly string[] {
  return csvRows(
    rows.map(({ proof, ...row }) =>
      Object.values(RECEIPT_COLUMNS).map((field) =>
        field === 'proof' ? proof.join('+') : row[field],
      ),
    ),
  );
}
