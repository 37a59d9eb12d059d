/** A person's decisions about parked or ignored items: try again, ignore, list again, or treat as delivered. */
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { storedFacts } from '../core/storedFacts.ts';
import { leavesFileAlone } from '../evidence/causes.ts';
import { PROBLEMS_READ } from '../host/ledgerFacts.ts';
import { onMissingDrives } from '../pipeline/drives.ts';
import { writeValue } from '../settings/keyValue.ts';
import type { Store } from '../store/store.ts';
import { forgetContent, type Item, itemById } from '../store/tables/items.ts';
import { confirmParked, releaseTransfer, requeueItem } from '../store/tables/parked.ts';
import { moveItem } from '../store/transitions.ts';
import { decide, type Undoable } from './undoDecision.ts';
import type { ConnectionNow } from '../host/workingConnection.ts';

function isIgnored(item: Item): boolean {
  return item.state === 'skipped' && item.reason === 'item.ignored';
}

/** Items that can be tried again: all parked ones, or the one with this id if it is parked or ignored. */
export function retryableItems(store: Store, id: number | null): readonly Item[] {
  if (id === null) return parkedItems(store, null);
  const item = itemById(store, id);
  return item !== null && (item.state === 'parked' || isIgnored(item)) ? [item] : [];
}

/** Items that have failed before and are not at rest, such as those of a `--retry` that was interrupted. */
const TRIED = `SELECT id FROM items INDEXED BY items_queued WHERE state = 'queued' AND tries > 0
  UNION ALL SELECT items.id FROM batch_counts CROSS JOIN items INDEXED BY items_batch
    ON items.batch_row = batch_counts.batch_row AND items.destination_id = batch_counts.destination_id AND items.state = batch_counts.state
  WHERE batch_counts.state IN ('planned', 'sending', 'sent', 'unknown') AND count > 0 AND tries > 0`;

/** A command does not wait for what a person paused. */
const IS_NOT_PAUSED = `destination_id NOT IN (SELECT destination_id FROM watches WHERE state = 'paused')
  AND NOT EXISTS (SELECT 1 FROM batches WHERE batches.id = batch_row AND paused = 1)`;

/**
 * What a command sends again: these items, and those of an interrupted command, whose repetition continues it. Only those of one
 * connection: another connection's files belong to another service or workspace.
 */
export function idsToRetry(
  { store, connectionId }: Pick<ConnectionNow, 'store' | 'connectionId'>,
  id: number | null,
): readonly number[] {
  const sql = `SELECT items.id FROM json_each(?1) CROSS JOIN items ON items.id = value
       JOIN destinations ON destinations.id = items.destination_id WHERE connection_id = ?2 ORDER BY items.id`;
  const all = id === null ? parkedIds(store, null) : retryableItems(store, id).map((one) => one.id);
  const tried = store
    .ids(`SELECT id FROM items WHERE id IN (${TRIED}) AND ${IS_NOT_PAUSED}`)
    .filter((one) => id === null || one === id);
  return store.ids(sql, [...all, ...tried], connectionId);
}

/** All parked items, or the one with this id if it is parked; with a reason, only those that have it. */
export function parkedIds(
  store: Store,
  id: number | null,
  reason: ErrorCode | null = null,
): readonly number[] {
  const isMeant = `state = 'parked' AND (?1 IS NULL OR reason = ?1)`;
  return id === null
    ? store.ids(`SELECT id FROM items INDEXED BY items_parked WHERE ${isMeant} ORDER BY id`, reason)
    : store.ids(`SELECT id FROM items WHERE ${isMeant} AND id = ?2`, reason, id);
}

export function parkedItems(store: Store, id: number | null): readonly Item[] {
  return parkedIds(store, id).flatMap((one) => itemById(store, one) ?? []);
}

export function isParked({ state }: Item): boolean {
  return state === 'parked';
}

/** True for an item that waits to be read. */
export function isUnread({ state, fingerprint }: Item): boolean {
  return state === 'queued' && fingerprint === null;
}

/** Items that wait for a drive that is not connected, such as a card that was formatted since. */
export async function itemsOnMissingDrives(
  store: Store,
  files: Ports['files'],
): Promise<readonly Item[]> {
  const ids = store.ids(
    `SELECT id FROM items INDEXED BY items_again WHERE state = 'queued' AND fingerprint IS NULL ORDER BY id`,
  );
  const items = ids.flatMap((id) => itemById(store, id) ?? []);
  return onMissingDrives({ store, ports: { files } }, items);
}

/** The item with this id if it can be left out: it is parked or queued. */
function leavableItems(store: Store, id: number): readonly Item[] {
  const item = itemById(store, id);
  return item !== null && (item.state === 'parked' || item.state === 'queued') ? [item] : [];
}

/** Why an item was parked before a person chose to ignore it. */
function reasonBefore(item: Item): ErrorCode | null {
  const { was } = storedFacts(item.detail);
  return ERROR_CODES.find((code) => code === was) ?? null;
}

/**
 * Leaves items out because a person asks for it: they stay left out until their content changes or they are tried again. They
 * keep their names, because an unproven one may be on the service.
 */
export function ignoreItems(store: Store, items: readonly Item[], now: number): void {
  for (const item of items) {
    const detail = JSON.stringify({ ...storedFacts(item.detail), was: item.reason });
    moveItem(store, item.id, 'skipped', now, { code: 'item.ignored', detail });
    releaseTransfer(store, item, now);
  }
}

/** How many items are ignored in one transaction. Our choice. */
const IGNORED_AT_ONCE = 1000;

/**
 * Ignores those of the items that `mayBe` still holds for; `pause` lets others write to the ledger, who would not wait for very many items
 * to be ignored. Returns which were ignored.
 */
export async function ignoreMany(
  store: Store,
  ids: readonly number[],
  mayBe: (item: Item) => boolean,
  now: number,
  pause: () => Promise<void>,
): Promise<readonly number[]> {
  const ignored: number[] = [];
  for (let from = 0; from < ids.length; from += IGNORED_AT_ONCE) {
    if (from > 0) await pause();
    const some = ids.slice(from, from + IGNORED_AT_ONCE);
    const items = store.transaction(() => {
      const still = some.flatMap((id) => itemById(store, id) ?? []).filter(mayBe);
      ignoreItems(store, still, now);
      return still;
    });
    for (const { id } of items) ignored.push(id);
  }
  return ignored;
}

/**
 * Queues parked or ignored items again, under the names they had. If the file itself was the cause, it is read again; for other items, the
 * service is asked for the name before they are sent (see pipeline/plan/matchExisting.ts).
 */
export function retryItems(store: Store, items: readonly Item[], now: number): void {
  for (const item of items) {
    if (!isParked(item) && !isIgnored(item)) continue;
    const reason = isIgnored(item) ? reasonBefore(item) : item.reason;
    requeueItem(store, item, now);
    const isAsItWas = reason !== null && leavesFileAlone(reason);
    if (item.fingerprint === null || !isAsItWas) forgetContent(store, item.id, 0);
  }
}

/** Treats items as delivered whose delivery cannot be proved. */
export function treatAsDelivered(
  store: Store,
  items: readonly Pick<Item, 'id'>[],
  now: number,
): void {
  for (const { id } of items) confirmParked(store, id, null, now);
}

function parked({ store, connectionId }: ConnectionNow, code: ErrorCode | null): readonly Item[] {
  const sql = `SELECT items.id FROM items INDEXED BY items_parked JOIN destinations ON destinations.id = items.destination_id
       WHERE items.state = 'parked' AND destinations.connection_id = ?1
         AND (items.reason = ?2 OR (?2 IS NULL AND items.reason <> 'upload.unproven')) ORDER BY items.id`;
  return store.ids(sql, connectionId, code).flatMap((id) => itemById(store, id) ?? []);
}

/** Which problems a decision is about: the given ids, or all of a code, or (both null) all except those that may be sent twice. */
export interface ProblemChoice {
  readonly ids: readonly number[] | null;
  readonly code: ErrorCode | null;
}

function chosen(
  of: ConnectionNow,
  { ids, code }: ProblemChoice,
  itemsOf: (store: Store, id: number) => readonly Item[],
): readonly Item[] {
  return ids === null ? parked(of, code) : ids.flatMap((id) => itemsOf(of.store, id));
}

/** Queues parked items again; those given by id even if they are ignored. Returns which. */
export function retryProblems(of: ConnectionNow, choice: ProblemChoice): Undoable {
  return decide(of.store, chosen(of, choice, retryableItems), 'queued', of.now, retryItems);
}

/** Leaves items out: parked ones, and those given by id even while they are queued. */
export function ignoreProblems(of: ConnectionNow, choice: ProblemChoice): Undoable {
  return decide(of.store, chosen(of, choice, leavableItems), 'skipped', of.now, ignoreItems);
}

/** Treats items as delivered whose delivery cannot be proved. */
export function confirmAsDelivered(store: Store, ids: readonly number[], now: number): Undoable {
  const items = ids
    .flatMap((id) => parkedItems(store, id))
    .filter(({ reason }) => reason === 'upload.unproven');
  return decide(store, items, 'confirmed', now, treatAsDelivered);
}

export function noteProblemsRead(store: Store, now: number): void {
  writeValue(store, PROBLEMS_READ, now);
}
