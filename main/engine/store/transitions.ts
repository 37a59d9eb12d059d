/**
 * Every legal move of every state, and the only code that writes a `state` column. An illegal move is a bug: it throws
 * bug.illegalTransition, nothing is written, and the engine stops with everything kept.
 */
import { type ErrorCode, sluiceError, SluiceFailure } from '../core/errors.ts';
import type { ItemState } from '../core/model.ts';
import { type Condition, moveTogether } from './groupCounts.ts';
import { oneOf } from './rows.ts';
import type { Store, StoreValue } from './store.ts';

/** What each state may become. A state may be moved to itself only where that is listed. */
export const MOVES = {
  items: {
    // confirmed directly: the service already lists the name.
    queued: ['planned', 'confirmed', 'skipped', 'parked'],
    // unknown: a repeat was planned, but its address expired before it began.
    planned: ['sending', 'unknown', 'queued', 'skipped', 'parked'],
    sending: ['sent', 'unknown', 'planned', 'queued', 'skipped', 'parked'],
    // unknown: accepted, but not listed for too long; queued: another computer's file is listed under its name.
    sent: ['confirmed', 'parked', 'unknown', 'queued'],
    // sent: the same body was repeated; planned: it is proved that the service has nothing.
    unknown: ['confirmed', 'sent', 'planned', 'queued', 'skipped', 'parked'],
    // sent: a list shows another computer's file under its name. queued: that file has replaced it, and it is sent again under a unique
    // name. parked: a person undoes "Mark as delivered".
    confirmed: ['sent', 'queued', 'parked'],
    // queued: a duplicate whose original is gone becomes an independent item. parked: a person undoes "Ignore".
    skipped: ['queued', 'parked'],
    // queued: "Try again". confirmed: "Mark as delivered". skipped: "Ignore", or the problem no longer exists.
    parked: ['queued', 'confirmed', 'skipped'],
  },
  transfers: {
    // unknown: it was lost, and is looked for again before it is sent once more.
    planned: ['registered', 'sending', 'unknown', 'parked', 'dropped'],
    registered: ['sending', 'unknown', 'planned', 'parked', 'dropped'],
    sending: ['sent', 'unknown', 'planned', 'registered', 'parked', 'dropped'],
    sent: ['confirmed', 'parked', 'unknown'],
    unknown: ['confirmed', 'sent', 'planned', 'registered', 'parked', 'dropped'],
    // sent: a confirmed file of it is looked for again.
    confirmed: ['sent'],
    parked: ['dropped'],
    dropped: [],
  },
  batches: {
    open: ['sealed', 'processed', 'expired'],
    sealed: ['processed', 'expired', 'open'],
    processed: ['expired'],
    expired: [],
  },
  jobs: {
    // aborted: a person gives up a job that the service never accepted.
    planned: ['starting', 'parked', 'aborted'],
    starting: ['starting', 'running', 'parked', 'aborted'],
    // starting: the service does not know it, so it is started again under the same id.
    running: ['succeeded', 'failed', 'aborted', 'starting'],
    succeeded: [],
    // A failed or aborted job can be restarted on the service under the same id.
    failed: ['running'],
    aborted: ['running'],
    parked: ['planned', 'aborted'],
  },
  watches: {
    active: ['paused', 'removed'],
    paused: ['active', 'removed'],
    removed: [],
  },
  outputs: {
    listed: ['done', 'parked'],
    // A file that was deleted on disk is fetched again.
    done: ['listed'],
    parked: ['listed'],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

type Table = keyof typeof MOVES;
type StateOf<T extends Table> = keyof (typeof MOVES)[T] & string;

/** The states of a table, in the order of its moves. */
function statesOf<T extends Table>(table: T): readonly StateOf<T>[] {
  return Object.keys(MOVES[table]).filter((state): state is StateOf<T> => state in MOVES[table]);
}

export const TRANSFER_STATES = statesOf('transfers');
export const BATCH_STATES = statesOf('batches');
export const JOB_STATES = statesOf('jobs');
export type StoredJobState = StateOf<'jobs'>;
export const WATCH_STATES = statesOf('watches');
export type WatchState = StateOf<'watches'>;
export const OUTPUT_STATES = statesOf('outputs');
export type OutputState = StateOf<'outputs'>;

function demandLegal(table: Table, from: string, to: string, id: number): void {
  const moves: Readonly<Record<string, readonly string[]>> = MOVES[table];
  if (moves[from]?.includes(to) === true) return;
  throw new SluiceFailure(sluiceError('bug.illegalTransition', { table, from, to, id }));
}

/**
 * Throws the reason why a row did not move: bug.illegalTransition, or store.corrupt for a state that does not exist or a row that is gone.
 */
function demandMovable(store: Store, table: Table, id: number, to: string): void {
  const row = store.get(`SELECT state FROM ${table} WHERE id = ?`, id);
  if (row === null) throw new SluiceFailure(sluiceError('store.corrupt', { table, id }));
  demandLegal(table, oneOf(row, 'state', statesOf(table)), to, id);
}

/** The states from which a row of a table may move to a state, as SQL. */
const FROM_STATES = new Map(
  Object.entries(MOVES).flatMap(([table, moves]) =>
    Object.keys(moves).map((to) => {
      const from = Object.entries<readonly string[]>(moves).filter(([, next]) => next.includes(to));
      const listed = from.map(([state]) => `'${state}'`).join(', ');
      return [`${table} ${to}`, listed === '' ? 'NULL' : listed] as const;
    }),
  ),
);

/**
 * Moves one row, checking the move against its current state.
 * @param also more columns to set, as SQL with `?4`, `?5`, … for the values: otherwise they would cost another write
 */
export function move<T extends Table>(
  store: Store,
  table: T,
  id: number,
  to: StateOf<T>,
  now: number,
  also = '',
  ...values: readonly StoreValue[]
): void {
  const from = FROM_STATES.get(`${table} ${to}`) ?? 'NULL';
  const more = also === '' ? '' : `, ${also}`;
  const sql = `UPDATE ${table} SET state = ?2, state_at = ?3${more} WHERE id = ?1 AND state IN (${from})`;
  const { changes } = store.run(sql, id, to, now, ...values);
  if (changes === 0) demandMovable(store, table, id, to);
}

/**
 * Moves many transfers, checking each move.
 * @param also more columns to set, as SQL with `?4`, `?5`, … for the values
 */
export function moveTransfers(
  store: Store,
  ids: readonly number[],
  to: StateOf<'transfers'>,
  now: number,
  also = '',
  ...values: readonly StoreValue[]
): void {
  const table = 'transfers';
  const from = FROM_STATES.get(`${table} ${to}`) ?? 'NULL';
  const listed = JSON.stringify(ids);
  // The + keeps SQLite from using the index on `state`, with which it would read every row in such a state.
  const sql = `UPDATE ${table} SET state = ?2, state_at = ?3${also === '' ? '' : `, ${also}`}
     WHERE id IN (SELECT value FROM json_each(?1)) AND +state IN (${from})`;
  const { changes } = store.run(sql, listed, to, now, ...values);
  if (changes === ids.length) return;
  if (ids.length === 1) demandMovable(store, table, ids[0] ?? 0, to);
  const facts = { table, from: null, to, id: listed };
  throw new SluiceFailure(sluiceError('bug.illegalTransition', facts));
}

/** Why an item is skipped or parked, kept with it. */
export interface Reason {
  readonly code: ErrorCode;
  /** The error's facts as JSON, already redacted; null when the code says it all. */
  readonly detail: string | null;
}

/** The name of a skipped item is free: another one may have it by now. */
const WITHOUT_FREE_NAME = `name = iif(state = 'skipped', NULL, name), name_key = iif(state = 'skipped', NULL, name_key)`;

/** Moves one item; a reason is kept when skipping or parking and cleared otherwise. An item that was skipped is queued without a name. */
export function moveItem(
  store: Store,
  id: number,
  to: ItemState,
  now: number,
  reason: Reason | null = null,
): void {
  const also = `reason = ?4, detail = ?5${to === 'queued' ? `, ${WITHOUT_FREE_NAME}` : ''}`;
  move(store, 'items', id, to, now, also, reason?.code ?? null, reason?.detail ?? null);
}

/** An item in the manifest of a transfer, and the name it gets. */
export interface PlannedMember {
  readonly itemId: number;
  readonly name: string;
  readonly nameKey: string;
}

/** The items of a transfer, in the order in which they are sent. */
export interface Manifest {
  readonly transferId: number;
  readonly members: readonly PlannedMember[];
}

/** Moves queued items to their places in the manifests of a batch, in one write: there are hundreds of them. */
export function moveToPlaces(
  store: Store,
  batchRow: number,
  manifests: readonly Manifest[],
  now: number,
): void {
  const given = manifests.flatMap(({ transferId, members }) =>
    members.map(
      ({ itemId, name, nameKey }, position) =>
        [itemId, name, nameKey, transferId, position] as const,
    ),
  );
  const places = JSON.stringify(given);
  const place = (): number =>
    store.run(
      `UPDATE items SET state = 'planned', state_at = ?1, reason = NULL, detail = NULL, batch_row = ?2, transfer_id = places.value ->> 3,
         name = places.value ->> 1, name_key = places.value ->> 2, position = places.value ->> 4
       FROM json_each(?3) AS places WHERE items.id = places.value ->> 0 AND items.state = 'queued'`,
      now,
      batchRow,
      places,
    ).changes;
  const queued = {
    sql: `id IN (SELECT value ->> 0 FROM json_each(?1)) AND state = 'queued'`,
    values: [places],
  };
  const moved = moveTogether(store, queued, { state: 'planned', batchRow }, place);
  if (moved === given.length) return;
  const isPlaced = 'SELECT 1 FROM items WHERE id = ? AND transfer_id = ?';
  const left = given.find(([id, , , transferId]) => !store.has(isPlaced, id, transferId));
  const id = left?.[0] ?? null;
  const from = store.get('SELECT state FROM items WHERE id = ?', id)?.['state'];
  const facts = { table: 'items', from: String(from ?? 'none'), to: 'planned', id };
  throw new SluiceFailure(sluiceError('bug.illegalTransition', facts));
}

/** Moves every item of some transfers that is in one of the states `from`. Returns how many moved. */
export function moveItemsOf(
  store: Store,
  transferIds: readonly number[],
  from: readonly ItemState[],
  to: ItemState,
  now: number,
  reason: Reason | null = null,
): number {
  for (const state of from) demandLegal('items', state, to, transferIds[0] ?? 0);
  const listed = JSON.stringify(transferIds);
  const members: Condition = {
    sql: `transfer_id IN (SELECT value FROM json_each(?1)) AND state IN (${from.map((state) => `'${state}'`).join(', ')})`,
    values: [listed],
  };
  const moveAll = (): number =>
    store.run(
      `UPDATE items SET state = ?2, state_at = ?3, reason = ?4, detail = ?5 WHERE ${members.sql}`,
      listed,
      to,
      now,
      reason?.code ?? null,
      reason?.detail ?? null,
    ).changes;
  return moveTogether(store, members, { state: to }, moveAll);
}

/**
 * Confirms the items that are `sent`, and leaves the others unchanged; meant for a few thousand at a time. Returns how many were confirmed.
 */
export function confirmItems(store: Store, ids: readonly number[], now: number): number {
  demandLegal('items', 'sent', 'confirmed', 0);
  const sql = `id IN (SELECT value FROM json_each(?1)) AND state = 'sent'`;
  const values = [JSON.stringify(ids)];
  const confirm = (): number =>
    store.run(`UPDATE items SET state = 'confirmed', state_at = ?2 WHERE ${sql}`, ...values, now)
      .changes;
  return moveTogether(store, { sql, values }, { state: 'confirmed' }, confirm);
}
