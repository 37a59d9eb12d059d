/** Counts for the snapshot, from the ledger's counters. */
import { type Counts, ITEM_STATES, type ItemState } from '../core/model.ts';
import { integer, oneOf, type Row } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export const NO_COUNTS: Counts = {
  found: 0,
  queued: 0,
  sending: 0,
  sent: 0,
  confirmed: 0,
  skipped: 0,
  attention: 0,
};

type Field = keyof Omit<Counts, 'found'>;

export const FIELDS: Readonly<Record<ItemState, Field>> = {
  queued: 'queued',
  planned: 'queued',
  sending: 'sending',
  sent: 'sent',
  unknown: 'sent',
  confirmed: 'confirmed',
  skipped: 'skipped',
  parked: 'attention',
};

export function countState(counts: Counts, state: ItemState, count: number): Counts {
  const field = FIELDS[state];
  return { ...counts, found: counts.found + count, [field]: counts[field] + count };
}

/** Bytes of items: confirmed, sent but not confirmed, and unsent (including what is on the wire). */
export interface ItemBytes {
  readonly confirmed: number;
  readonly sent: number;
  readonly unsent: number;
}

/** The items of a destination or of a connection. */
export interface ItemSums {
  readonly counts: Counts;
  readonly bytes: ItemBytes;
}

export const NO_ITEMS: ItemSums = {
  counts: NO_COUNTS,
  bytes: { confirmed: 0, sent: 0, unsent: 0 },
};

function addBytes(bytes: ItemBytes, state: ItemState, more: number): ItemBytes {
  const field = FIELDS[state];
  if (field === 'skipped' || field === 'attention') return bytes;
  const of = field === 'queued' || field === 'sending' ? 'unsent' : field;
  return { ...bytes, [of]: bytes[of] + more };
}

function addTo(sums: Map<number, ItemSums>, id: number, row: Row): void {
  const { counts, bytes } = sums.get(id) ?? NO_ITEMS;
  const state = oneOf(row, 'state', ITEM_STATES);
  sums.set(id, {
    counts: countState(counts, state, integer(row, 'count')),
    bytes: addBytes(bytes, state, integer(row, 'bytes')),
  });
}

/** Reads the counters that the ledger updates as its items move: a few rows for any number of items. */
export function readCounts(store: Store) {
  const byDestination = new Map<number, ItemSums>();
  // Includes connections whose destinations have no items.
  const byConnection = new Map<number, ItemSums>();
  for (const id of store.ids('SELECT DISTINCT connection_id AS id FROM destinations'))
    byConnection.set(id, NO_ITEMS);
  const sql = `SELECT destination_id, connection_id, state, count, bytes FROM item_counts
     JOIN destinations ON destinations.id = destination_id WHERE count > 0`;
  const rows = store.all(sql);
  for (const row of rows) {
    addTo(byDestination, integer(row, 'destination_id'), row);
    addTo(byConnection, integer(row, 'connection_id'), row);
  }
  return { byDestination, byConnection };
}

export type LedgerCounts = Readonly<ReturnType<typeof readCounts>>;
