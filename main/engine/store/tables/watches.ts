/** Watches in the ledger. */
import { type WatchRule, watchRuleSchema } from '../../core/contract.ts';
import { sluiceError, SluiceFailure } from '../../core/errors.ts';
import { ensureDestination } from './connections.ts';
import { integer, integerOrNull, oneOf, text, type Row } from '../rows.ts';
import type { Store } from '../store.ts';
import { move, WATCH_STATES, type WatchState } from '../transitions.ts';

/** The path of a watch as it was given: a link that leads to its directory, or the directory itself. */
export function givenPathOf({ link, directory }: WatchRule): string {
  return link ?? directory;
}

/** Recently read rules, by their text: the window requests all of them several times a second. */
const known = new Map<string, WatchRule>();
const MOST_KNOWN = 1000;

/** Reads a rule. Throws store.corrupt for one that does not fit. */
function ruleOf(written: string): WatchRule {
  const before = known.get(written);
  if (before !== undefined) return before;
  let rule: unknown = null;
  try {
    rule = JSON.parse(written);
  } catch {
    // Refused by the schema.
  }
  const parsed = watchRuleSchema().safeParse(rule);
  if (!parsed.success) throw new SluiceFailure(sluiceError('store.corrupt', { column: 'rule' }));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(written, parsed.data);
  return parsed.data;
}

export function toWatch(row: Row) {
  return {
    id: integer(row, 'id'),
    connectionId: integer(row, 'connection_id'),
    destinationId: integer(row, 'destination_id'),
    rule: ruleOf(text(row, 'rule')),
    state: oneOf(row, 'state', WATCH_STATES),
    addedAt: integer(row, 'added_at'),
    /** A command created the watch for itself; only that command runs it. */
    oneOff: integer(row, 'one_off') === 1,
  };
}

export type Watch = Readonly<ReturnType<typeof toWatch>>;

/** Every watch that was not removed, of one connection or of all. */
export function watchesOf(store: Store, connectionId: number | null): readonly Watch[] {
  const sql = `SELECT * FROM watches WHERE state <> 'removed' AND (?1 IS NULL OR connection_id = ?1) ORDER BY id`;
  return store.list(toWatch, sql, connectionId);
}

/** Every watch that ever existed, including removed ones. */
export function everyWatch(store: Store): readonly Watch[] {
  return store.all('SELECT * FROM watches ORDER BY id').map(toWatch);
}

/** The watch with this id; null when there is none or it was removed. */
export function watchById(store: Store, id: number): Watch | null {
  return store.one(toWatch, `SELECT * FROM watches WHERE id = ? AND state <> 'removed'`, id);
}

/**
 * Adds a watch and its destination, within which content is unique. A directory watched again for the same batch continues with
 * its old items. `into`: the id of the batch, or the template of its ids.
 */
export function addWatch(
  store: Store,
  connectionId: number,
  rule: WatchRule,
  into: string,
  oneOff: boolean,
  now: number,
): Watch {
  const taken = (name: string): boolean =>
    store.has(
      `SELECT 1 FROM watches JOIN destinations ON destinations.id = destination_id
       WHERE destinations.connection_id = ? AND destinations.name = ? AND watches.state <> 'removed'`,
      connectionId,
      name,
    );
  const plain = into.includes('{') ? `${rule.directory} → ${into}` : into;
  let name = plain;
  for (let number = 2; taken(name); number += 1) name = `${plain} (${number})`;
  const destinationId = ensureDestination(store, connectionId, name);
  const { lastId } = store.run(
    `INSERT INTO watches (connection_id, destination_id, directory, rule, state, one_off, added_at, state_at)
     VALUES (?, ?, ?, ?, 'active', ?, ?, ?)`,
    connectionId,
    destinationId,
    rule.directory,
    JSON.stringify(rule),
    oneOff,
    now,
    now,
  );
  return { id: lastId, connectionId, destinationId, rule, state: 'active', addedAt: now, oneOff };
}

/** Replaces the rule of a watch; items that have a batch keep it. */
export function editWatch(store: Store, id: number, rule: WatchRule): void {
  const sql = 'UPDATE watches SET rule = ?, directory = ? WHERE id = ?';
  store.run(sql, JSON.stringify(rule), rule.directory, id);
}

/** Corrects the time at which a watch was added, because the clock was ahead then. */
export function setAddedAt(store: Store, id: number, at: number): void {
  store.run('UPDATE watches SET added_at = ? WHERE id = ?', at, id);
}

export function moveWatch(store: Store, id: number, to: WatchState, now: number): void {
  move(store, 'watches', id, to, now);
}

/** How many items of a destination have a batch id that matches the pattern (GLOB): {n} counts these. */
export function countInPattern(store: Store, destinationId: number, pattern: string): number {
  const sql = 'SELECT count(*) AS count FROM items WHERE destination_id = ? AND base_id GLOB ?';
  return store.count(sql, destinationId, pattern);
}

/** Sets the batch that an item goes to. Only for an item without one. */
export function assignBase(store: Store, itemId: number, baseId: string): void {
  store.run('UPDATE items SET base_id = ? WHERE id = ? AND base_id IS NULL', baseId, itemId);
}

/** The oldest identified item that only waits for a transfer; null when there is none. */
export function oldestWaiting(store: Store, destinationId: number): number | null {
  const sql = `SELECT id FROM items INDEXED BY items_queued
     WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at = 0 AND destination_id = ?
     ORDER BY id LIMIT 1`;
  return store.one((row) => integer(row, 'id'), sql, destinationId);
}

/** When the newest item of a destination was found; null when it has none. */
export function lastFoundAt(store: Store, destinationId: number): number | null {
  const sql = 'SELECT last_found_at FROM destinations WHERE id = ?';
  return store.one((row) => integerOrNull(row, 'last_found_at'), sql, destinationId);
}

export function isWatched(store: Store, destinationId: number): boolean {
  const sql = `SELECT 1 FROM watches WHERE destination_id = ? AND state <> 'removed'`;
  return store.has(sql, destinationId);
}
