/** Transfers that are being sent, and how many of their bytes have been sent. */
import { basename } from 'node:path';
import { MEDIA_KINDS, type RunningTransfer } from '../core/model.ts';
import type { SentMeter } from '../runner/sentMeter.ts';
import { integer, oneOf, oneOfOrNull, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const MAX_SHOWN = 20;
const MAX_ITEMS = 6;

export interface SendingTransfer {
  readonly id: number;
  readonly kind: 'image' | 'video' | 'shard';
  readonly destinationId: number;
  readonly batchId: string;
  /** Bytes of the transfer's files, without the archive around them. */
  readonly sizeBytes: number;
  readonly files: number;
  /** With the archive around them: for small files, several times as much. Long names are left out. */
  readonly bodyBytes: number;
}

/** Creates a reader of a connection's transfers in state sending. The files of a transfer are summed up only once. */
export function createSendingReader(
  store: Store,
): (connectionId: number) => readonly SendingTransfer[] {
  let known = new Map<number, SendingTransfer>();
  return (connectionId) => {
    const sql = `SELECT transfers.id, transfers.kind, transfers.size_bytes, batches.batch_id
       FROM transfers JOIN batches ON batches.id = transfers.batch_row
       WHERE transfers.state = 'sending' AND batches.connection_id = ? ORDER BY transfers.id`;
    const rows = store.all(sql, connectionId);
    const transfers = rows.map((row): SendingTransfer => {
      const id = integer(row, 'id');
      const kind = oneOf(row, 'kind', ['image', 'video', 'shard'] as const);
      const { files, bodyBytes, destinationId } = known.get(id) ?? filesOf(store, id, kind);
      return {
        id,
        files,
        bodyBytes,
        destinationId,
        kind,
        batchId: text(row, 'batch_id'),
        sizeBytes: integer(row, 'size_bytes'),
      };
    });
    known = new Map(transfers.map((one) => [one.id, one]));
    return transfers;
  };
}

function filesOf(
  store: Store,
  transferId: number,
  kind: SendingTransfer['kind'],
): Pick<SendingTransfer, 'files' | 'bodyBytes' | 'destinationId'> {
  // In an archive, each file begins with a header block and ends with its last block filled up.
  const body = kind === 'shard' ? '(size_bytes + 1023) / 512 * 512' : 'size_bytes';
  const sql = `SELECT count(*) AS files, coalesce(sum(${body}), 0) AS bytes, coalesce(max(destination_id), 0) AS destination
     FROM items WHERE transfer_id = ?`;
  const row = store.get(sql, transferId) ?? {};
  return {
    files: integer(row, 'files'),
    bodyBytes: integer(row, 'bytes'),
    destinationId: integer(row, 'destination'),
  };
}

/** The fraction (0–1) of a transfer that has left. */
function fractionOf({ id, bodyBytes }: SendingTransfer, sentOf: SentMeter['of']): number {
  return bodyBytes === 0 ? 0 : Math.min(1, sentOf(id) / bodyBytes);
}

/** Bytes of files that these transfers have sent. Pure. */
export function bytesOnWire(
  transfers: readonly SendingTransfer[],
  sentOf: SentMeter['of'],
): number {
  return transfers.reduce(
    (sum, one) => sum + Math.round(one.sizeBytes * fractionOf(one, sentOf)),
    0,
  );
}

/** How many bytes leave for each byte of the files that are being sent. Pure. */
export function bodyRatio(transfers: readonly SendingTransfer[]): number {
  const files = transfers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const bodies = transfers.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  return files === 0 ? 1 : Math.max(1, bodies / files);
}

export function runningTransfers(
  store: Store,
  transfers: readonly SendingTransfer[],
  sentOf: SentMeter['of'],
): readonly RunningTransfer[] {
  return transfers.slice(0, MAX_SHOWN).map((one) => {
    const fraction = fractionOf(one, sentOf);
    // Members of a shard are sent in order.
    const first = Math.max(0, Math.min(one.files - MAX_ITEMS, Math.floor(one.files * fraction)));
    const items = itemsFrom(store, one.id, first);
    return {
      transferId: one.id,
      destinationId: one.destinationId,
      batchId: one.batchId,
      label:
        one.kind === 'shard'
          ? `${one.files} ${one.files === 1 ? 'image' : 'images'}`
          : (items[0]?.name ?? ''),
      sentBytes: Math.round(one.sizeBytes * fraction),
      sizeBytes: one.sizeBytes,
      items,
    };
  });
}

function itemsFrom(store: Store, transferId: number, first: number): RunningTransfer['items'] {
  const sql = `SELECT id, path, kind FROM items WHERE transfer_id = ?1 AND (position >= ?2 OR position IS NULL)
       ORDER BY position LIMIT ?3`;
  return store.all(sql, transferId, first, MAX_ITEMS).map((row) => ({
    id: integer(row, 'id'),
    name: basename(text(row, 'path')),
    kind: oneOfOrNull(row, 'kind', MEDIA_KINDS),
  }));
}
