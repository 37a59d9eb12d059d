/** Counts for the snapshot, from the ledger's counters. */
import { type Counts, ITEM_STATES, type ItemState } from '../core/model.ts';
import { integer, oneOf } from '../store/rows.ts';
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

/** The ledger's counts by destination, with the data to sum them up by connection. */
export interface LedgerCounts {
  readonly byDestination: ReadonlyMap<number, Counts>;
  /** Destination to connection. */
  readonly connectionOf: ReadonlyMap<number, number>;
  readonly bytesByDestination: ReadonlyMap<number, ItemBytes>;
}

type Field = keyof Omit<Counts, 'found'>;

/** The field in which items of a state are counted. */
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

/** Items that are still open: they will be uploaded or confirmed without a person. Pure. */
export function openCount({ queued, sending, sent }: Counts): number {
  return queued + sending + sent;
}

function addCounts(one: Counts, other: Counts): Counts {
  return {
    found: one.found + other.found,
    queued: one.queued + other.queued,
    sending: one.sending + other.sending,
    sent: one.sent + other.sent,
    confirmed: one.confirmed + other.confirmed,
    skipped: one.skipped + other.skipped,
    attention: one.attention + other.attention,
  };
}

/** Adds a number of items in one state to counts. Pure. */
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

export const NO_BYTES: ItemBytes = { confirmed: 0, sent: 0, unsent: 0 };

function addBytes(bytes: ItemBytes, state: ItemState, more: number): ItemBytes {
  const field = FIELDS[state];
  if (field === 'confirmed') return { ...bytes, confirmed: bytes.confirmed + more };
  if (field === 'sent') return { ...bytes, sent: bytes.sent + more };
  return field === 'queued' || field === 'sending'
    ? { ...bytes, unsent: bytes.unsent + more }
    : bytes;
}

/** Reads the counters that the ledger updates as its items move: a few rows for any number of items. */
export function readCounts(store: Store): LedgerCounts {
  const byDestination = new Map<number, Counts>();
  const bytesByDestination = new Map<number, ItemBytes>();
  const connectionOf = new Map(
    store
      .all('SELECT id, connection_id FROM destinations')
      .map((row) => [integer(row, 'id'), integer(row, 'connection_id')]),
  );
  for (const row of store.all('SELECT * FROM item_counts WHERE count > 0')) {
    const id = integer(row, 'destination_id');
    const state = oneOf(row, 'state', ITEM_STATES);
    const before = byDestination.get(id) ?? NO_COUNTS;
    byDestination.set(id, countState(before, state, integer(row, 'count')));
    const bytes = bytesByDestination.get(id) ?? NO_BYTES;
    bytesByDestination.set(id, addBytes(bytes, state, integer(row, 'bytes')));
  }
  return { byDestination, bytesByDestination, connectionOf };
}

export function countsOf(counts: LedgerCounts, connectionId: number): Counts {
  let sum = NO_COUNTS;
  for (const [destination, one] of counts.byDestination) {
    if (counts.connectionOf.get(destination) === connectionId) sum = addCounts(sum, one);
  }
  return sum;
}

export function bytesOf(counts: LedgerCounts, connectionId: number): ItemBytes {
  let sum = NO_BYTES;
  for (const [destination, { confirmed, sent, unsent }] of counts.bytesByDestination) {
    if (counts.connectionOf.get(destination) !== connectionId) continue;
    sum = {
      confirmed: sum.confirmed + confirmed,
      sent: sum.sent + sent,
      unsent: sum.unsent + unsent,
    };
  }
  return sum;
}
