/** The items that the running command has to handle: marked in memory, only for this connection to the ledger, and counted. */
import { type IdRange, IdSet } from '../../core/idSet.ts';
import { type ErrorCode } from '../../core/errors.ts';
import { codeOf, integer, oneOf, type Row, text } from '../rows.ts';
import type { Store } from '../store.ts';
import { ITEM_STATES, type ItemState } from '../../core/model.ts';
import { moveItem } from '../transitions.ts';

/** Marks items as part of what the running command has to handle. */
export function markSeen(store: Store, ids: readonly number[]): void {
  for (const range of new IdSet(ids).ranges()) addRange(store, range);
}

type Range = Readonly<IdRange>;

/** The last range that does not begin after this id. */
function rangeBefore(store: Store, id: number): Range | null {
  const sql = 'SELECT first, last FROM temp.seen WHERE first <= ? ORDER BY first DESC LIMIT 1';
  return store.one(
    (row) => ({ first: integer(row, 'first'), last: integer(row, 'last') }),
    sql,
    id,
  );
}

/** Adds a range, joined with the ranges that overlap it or are next to it. */
function addRange(store: Store, { first, last }: Range): void {
  const before = rangeBefore(store, first);
  const from = before !== null && before.last >= first - 1 ? before.first : first;
  const until = Math.max(last, rangeBefore(store, last + 1)?.last ?? last);
  store.run('DELETE FROM temp.seen WHERE first BETWEEN ? AND ?', from, last + 1);
  store.run('INSERT INTO temp.seen VALUES (?, ?)', from, until);
}

const UNREADABLE = `SELECT id FROM items INDEXED BY items_parked
  WHERE destination_id = ? AND state = 'parked' AND reason = 'directory.unreadable'`;

function skipDirectories(store: Store, ids: readonly number[], now: number): void {
  for (const id of ids) moveItem(store, id, 'skipped', now, { code: 'item.gone', detail: null });
}

/** Skips parked directories that this command did not find unreadable again: they no longer need attention. */
export function clearReadableDirectories(store: Store, destinationId: number, now: number): void {
  const sql = `${UNREADABLE} AND NOT EXISTS (SELECT 1 FROM temp.seen WHERE items.id BETWEEN first AND last)`;
  skipDirectories(store, store.ids(sql, destinationId), now);
}

/** The same for a watch, which scans repeatedly: `still` are the directories that the last scan could not read. */
export function clearUnreadable(
  store: Store,
  destinationId: number,
  still: readonly string[],
  now: number,
): void {
  const sql = `${UNREADABLE} AND path NOT IN (SELECT value FROM json_each(?))`;
  skipDirectories(store, store.ids(sql, destinationId, still), now);
}

/** Replaces an old item by a new one in what the command has to handle. */
export function replaceSeen(store: Store, oldId: number, newId: number): void {
  const range = rangeBefore(store, oldId);
  if (range === null || range.last < oldId) return;
  store.run('DELETE FROM temp.seen WHERE first = ?', range.first);
  if (range.first < oldId) addRange(store, { first: range.first, last: oldId - 1 });
  if (oldId < range.last) addRange(store, { first: oldId + 1, last: range.last });
  addRange(store, { first: newId, last: newId });
}

const AT_REST = `state IN ('confirmed', 'skipped', 'parked')`;
const TALLY = `coalesce(sum(count), 0) AS found,
  coalesce(sum(count) FILTER (WHERE state = 'confirmed'), 0) AS confirmed,
  coalesce(sum(count) FILTER (WHERE state = 'skipped'), 0) AS skipped,
  coalesce(sum(count) FILTER (WHERE state = 'parked'), 0) AS attention,
  coalesce(sum(count) FILTER (WHERE NOT ${AT_REST}), 0) AS open,
  coalesce(sum(count) FILTER (WHERE state = 'queued'), 0) AS queued,
  coalesce(sum(count) FILTER (WHERE state IN ('sent', 'unknown')), 0) AS sent,
  coalesce(sum(count) FILTER (WHERE state = 'unknown'), 0) AS unanswered,
  coalesce(sum(bytes) FILTER (WHERE state = 'confirmed'), 0) AS confirmed_bytes,
  coalesce(sum(bytes) FILTER (WHERE NOT ${AT_REST}), 0) AS open_bytes`;

function toTally(row: Row) {
  return {
    found: integer(row, 'found'),
    confirmed: integer(row, 'confirmed'),
    skipped: integer(row, 'skipped'),
    attention: integer(row, 'attention'),
    /** Still in progress: queued, planned, sending, sent or unknown. */
    open: integer(row, 'open'),
    queued: integer(row, 'queued'),
    sent: integer(row, 'sent'),
    /** How many of the sent items have no answer: it was lost, or it said nothing about their arrival. */
    unanswered: integer(row, 'unanswered'),
    confirmedBytes: integer(row, 'confirmed_bytes'),
    openBytes: integer(row, 'open_bytes'),
  };
}

/** Counts of items by progress. */
export type Tally = Readonly<ReturnType<typeof toTally>>;

/** True while an item of the destinations is in progress, from any run. Quick for any number of items. */
export function hasOpenItems(store: Store, destinationIds: readonly number[]): boolean {
  const sql = `SELECT 1 FROM item_counts WHERE destination_id IN (SELECT value FROM json_each(?))
       AND count > 0 AND state NOT IN ('confirmed', 'skipped', 'parked') LIMIT 1`;
  return store.has(sql, destinationIds);
}

/** How many ids of items are grouped at once: SQLite sorts what it groups, in memory. */
const GROUPED_AT_ONCE = 20_000;

/** The items that the running command has seen, in parts: their first id, and the first id after them. */
function* partsSeen(store: Store): Generator<readonly [from: number, until: number]> {
  const sql =
    'SELECT coalesce(min(first), 1) AS first, coalesce(max(last), 0) AS last FROM temp.seen';
  const range = store.get(sql) ?? {};
  const last = integer(range, 'last');
  for (let from = integer(range, 'first'); from <= last; from += GROUPED_AT_ONCE)
    yield [from, from + GROUPED_AT_ONCE];
}

const SEEN_PART = `(SELECT max(first, ?1) AS first, min(last, ?2 - 1) AS last FROM temp.seen WHERE first < ?2 AND last >= ?1) AS part
  CROSS JOIN items ON items.id BETWEEN part.first AND part.last`;

/** How many items that the running command has seen went to each batch, or are on their way there; by the batch's row. */
export function seenByBatch(store: Store): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const part of partsSeen(store)) {
    const sql = `SELECT items.batch_row, count(*) AS files FROM ${SEEN_PART} WHERE items.batch_row IS NOT NULL
         AND items.state IN ('confirmed', 'sent', 'planned', 'sending', 'unknown')
       GROUP BY items.batch_row`;
    const rows = store.all(sql, ...part);
    for (const row of rows) {
      const batchRow = integer(row, 'batch_row');
      counts.set(batchRow, (counts.get(batchRow) ?? 0) + integer(row, 'files'));
    }
  }
  return counts;
}

/** Counts the items that the running command has seen, all of which are in these destinations. A duplicate is done when its original is. */
export function tallySeen(store: Store, destinationIds: readonly number[]): Tally {
  const all = tallyDestinations(store, destinationIds);
  const seen = store.count('SELECT coalesce(sum(last - first + 1), 0) AS count FROM temp.seen');
  // The command has seen everything, and nothing is a duplicate: then the stored counts are the answer, however many items there are.
  if (all.skipped === 0 && all.found === seen) return all;
  const sql = `SELECT ${TALLY} FROM (
       SELECT 1 AS count, items.size_bytes AS bytes,
         CASE WHEN original.state NOT IN ('confirmed', 'skipped', 'parked') THEN original.state ELSE items.state END AS state
       FROM temp.seen CROSS JOIN items ON items.id BETWEEN seen.first AND seen.last
       LEFT JOIN items AS original ON original.id = items.duplicate_of AND items.state = 'skipped')`;
  const row = store.get(sql);
  return toTally(row ?? {});
}

/** Items that were not uploaded for one and the same reason, with one example. */
interface SeenReason {
  readonly state: ItemState;
  readonly reason: ErrorCode;
  readonly count: number;
  readonly example: string;
}

/**
 * Why items that the running command has seen were not uploaded: by state, the most frequent first. Like tallySeen, leaves out
 * duplicates whose original is still on its way.
 */
export function reasonsSeen(store: Store): readonly SeenReason[] {
  const found = new Map<string, SeenReason>();
  for (const part of partsSeen(store)) {
    const sql = `SELECT items.state, items.reason, count(*) AS count, min(items.path) AS example FROM ${SEEN_PART}
       LEFT JOIN items AS original ON original.id = items.duplicate_of AND items.state = 'skipped'
       WHERE items.reason IS NOT NULL AND (original.id IS NULL OR original.state IN ('confirmed', 'skipped', 'parked'))
       GROUP BY items.state, items.reason`;
    const rows = store.all(sql, ...part);
    for (const row of rows) {
      const state = oneOf(row, 'state', ITEM_STATES);
      const reason = codeOf(row, 'reason');
      const before = found.get(`${state} ${reason}`);
      const example = before?.example ?? text(row, 'example');
      const count = (before?.count ?? 0) + integer(row, 'count');
      found.set(`${state} ${reason}`, { state, reason, count, example });
    }
  }
  return [...found.values()].sort(
    (one, other) => one.state.localeCompare(other.state) || other.count - one.count,
  );
}

/** Counts everything of these destinations, including items of expired batches. Reads a few rows, however many items there are. */
export function tallyDestinations(store: Store, destinationIds: readonly number[]): Tally {
  const sql = `SELECT ${TALLY} FROM item_counts WHERE destination_id IN (SELECT value FROM json_each(?))`;
  const row = store.get(sql, destinationIds);
  return toTally(row ?? {});
}
