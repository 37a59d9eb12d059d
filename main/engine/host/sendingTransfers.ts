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
  readonly sizeBytes: number;
  readonly files: number;
  /** Bytes of the transfer's files, without the archive around them. */
  readonly fileBytes: number;
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
      const { files, fileBytes, destinationId } = known.get(id) ?? filesOf(store, id);
      return {
        ...{ id, files, fileBytes, destinationId },
        kind: oneOf(row, 'kind', ['image', 'video', 'shard'] as const),
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
): Pick<SendingTransfer, 'files' | 'fileBytes' | 'destinationId'> {
  const sql = `SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes, coalesce(max(destination_id), 0) AS destination
     FROM items WHERE transfer_id = ?`;
  const row = store.get(sql, transferId) ?? {};
  return {
    files: integer(row, 'files'),
    fileBytes: integer(row, 'bytes'),
    destinationId: integer(row, 'destination'),
  };
}

function fractionOf({ sizeBytes }: SendingTransfer, sentBytes: number): number {
  return sizeBytes === 0 ? 0 : Math.min(1, sentBytes / sizeBytes);
}

/** Bytes of files that these transfers have sent. Pure. */
export function bytesOnWire(
  transfers: readonly SendingTransfer[],
  sentOf: SentMeter['of'],
): number {
  return transfers.reduce(
    (sum, one) => sum + Math.round(one.fileBytes * fractionOf(one, sentOf(one.id))),
    0,
  );
}

export function runningTransfers(
  store: Store,
  transfers: readonly SendingTransfer[],
  sentOf: SentMeter['of'],
): readonly RunningTransfer[] {
  return transfers.slice(0, MAX_SHOWN).map((one) => {
    const sentBytes = sentOf(one.id);
    // Members of a shard are sent in order.
    const first = Math.max(
      0,
      Math.min(one.files - MAX_ITEMS, Math.floor(one.files * fractionOf(one, sentBytes))),
    );
    const items = itemsFrom(store, one.id, first);
    return {
      transferId: one.id,
      destinationId: one.destinationId,
      kind: one.kind,
      batchId: one.batchId,
      label:
        one.kind === 'shard'
          ? `${one.files} ${one.files === 1 ? 'image' : 'images'}`
          : (items[0]?.name ?? ''),
      sentBytes,
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
