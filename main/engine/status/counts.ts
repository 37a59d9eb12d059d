/** Counts for the snapshot, as the ledger keeps them. */
import type { Counts } from '../core/model.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export const NO_COUNTS: Counts = {
  found: 0,
  queued: 0,
  sending: 0,
  confirmed: 0,
  skipped: 0,
  attention: 0,
};

/** What the ledger holds, by destination and in all of a connection. */
export interface LedgerCounts {
  readonly byDestination: ReadonlyMap<number, Counts>;
  /** Destination to connection. */
  readonly connectionOf: ReadonlyMap<number, number>;
  /** Bytes that were not handed to the network yet, by connection. */
  readonly openBytes: ReadonlyMap<number, number>;
}

type Field = keyof Omit<Counts, 'found'>;

/** What a state of an item is called where items are counted. Pure. */
export function fieldOf(state: string): Field {
  if (state === 'queued' || state === 'confirmed' || state === 'skipped') return state;
  return state === 'parked' ? 'attention' : 'sending';
}

/** Adds up. Pure. */
function addCounts(one: Counts, other: Counts): Counts {
  return {
    found: one.found + other.found,
    queued: one.queued + other.queued,
    sending: one.sending + other.sending,
    confirmed: one.confirmed + other.confirmed,
    skipped: one.skipped + other.skipped,
    attention: one.attention + other.attention,
  };
}

/** Puts a number of items in one state into counts. Pure. */
export function countState(counts: Counts, state: string, count: number): Counts {
  const field = fieldOf(state);
  return { ...counts, found: counts.found + count, [field]: counts[field] + count };
}

/** States whose bytes were not handed to the network yet. */
const OPEN_STATES = new Set(['queued', 'planned', 'sending']);

/** Reads what the ledger counts as its items move: a few rows, however many items there are. */
export function readCounts(store: Store): LedgerCounts {
  const byDestination = new Map<number, Counts>();
  const connectionOf = new Map(
    store
      .all('SELECT id, connection_id FROM destinations')
      .map((row) => [integer(row, 'id'), integer(row, 'connection_id')]),
  );
  const openBytes = new Map<number, number>();
  for (const row of store.all('SELECT * FROM item_counts WHERE count > 0')) {
    const id = integer(row, 'destination_id');
    const state = text(row, 'state');
    const before = byDestination.get(id) ?? NO_COUNTS;
    byDestination.set(id, countState(before, state, integer(row, 'count')));
    if (!OPEN_STATES.has(state)) continue;
    const connection = connectionOf.get(id) ?? 0;
    openBytes.set(connection, (openBytes.get(connection) ?? 0) + integer(row, 'bytes'));
  }
  return { byDestination, connectionOf, openBytes };
}

/** The counts of one connection. Pure. */
export function countsOf(counts: LedgerCounts, connectionId: number): Counts {
  let sum = NO_COUNTS;
  for (const [destination, one] of counts.byDestination) {
    if (counts.connectionOf.get(destination) === connectionId) sum = addCounts(sum, one);
  }
  return sum;
}
