/**
 * Source files that are moved after their confirmation: each move is planned in the ledger before it is made and noted afterwards, for
 * recovery after a crash and for undo.
 */
import { IS_AT_REST } from './batches.ts';
import { COLUMNS, type Item, toItem } from './items.ts';
import { integer, type Row, text } from '../rows.ts';
import type { Store } from '../store.ts';

/** Closed batches of a destination's watches that are at rest, whose job (if required) is done, and whose sources have not all moved. */
export function batchesToMove(
  store: Store,
  watch: {
    readonly destinationId: number;
    readonly needsJob: boolean;
    readonly needsFetch: boolean;
  },
): readonly number[] {
  const sql = `SELECT id FROM batches INDEXED BY batches_to_move
     WHERE watch_id IN (SELECT id FROM watches WHERE destination_id = ?1) AND sources_moved = 0 AND state <> 'open' AND ${IS_AT_REST}
       AND (?2 = 0 OR EXISTS (SELECT 1 FROM jobs WHERE jobs.connection_id = batches.connection_id
         AND jobs.batch_id = batches.batch_id AND jobs.state = 'succeeded' AND (?3 = 0 OR jobs.fetched = 1)))
     ORDER BY id`;
  return store.ids(sql, watch.destinationId, watch.needsJob, watch.needsFetch);
}

/** The files of a watch in one of its batches, which may also hold those of other watches and of uploads by hand. */
export interface WatchedFiles {
  readonly batchRow: number;
  readonly destinationId: number;
  /** The directory of the watch, with a separator at its end. */
  readonly within: string;
  /** The watch follows a link: what it found before may be elsewhere. */
  readonly isLinked: boolean;
}

/**
 * Items that a watch found, or that a command uploaded from its directory before. An upload by hand may share the destination, and its
 * items get a batch id from the watch's rule, too. So a batch id counts only if the watch follows a link, which may have led to other
 * directories before; otherwise the path decides.
 */
const IS_WATCHED = `destination_id = ? AND (instr(path, ?) = 1 OR (? AND base_id IS NOT NULL))`;

/** Confirmed items of a watch in a batch, after an id, whose source was never moved. */
export function itemsToMove(
  store: Store,
  { batchRow, destinationId, within, isLinked }: WatchedFiles,
  after: number,
  most: number,
): readonly Item[] {
  const sql = `SELECT ${COLUMNS} FROM items INDEXED BY items_batch
       WHERE batch_row = ? AND ${IS_WATCHED} AND state = 'confirmed' AND id > ?
         AND NOT EXISTS (SELECT 1 FROM moved_sources WHERE item_id = items.id)
       ORDER BY id LIMIT ?`;
  return store.list(toItem, sql, batchRow, destinationId, within, isLinked, after, most);
}

/** Notes that a closed batch has no source left to move, now or later. While it has any, notes nothing and returns false. */
export function closeMoves(
  store: Store,
  { batchRow, destinationId, within, isLinked }: WatchedFiles,
): boolean {
  const sql = `UPDATE batches SET sources_moved = 1 WHERE id = ? AND state <> 'open'
       AND NOT EXISTS (SELECT 1 FROM batch_counts WHERE batch_row = batches.id AND state NOT IN ('confirmed', 'skipped') AND count > 0)
       AND NOT EXISTS (SELECT 1 FROM items WHERE batch_row = batches.id AND ${IS_WATCHED} AND state = 'confirmed'
         AND NOT EXISTS (SELECT 1 FROM moved_sources WHERE item_id = items.id AND state <> 'planned'))`;
  const { changes } = store.run(sql, batchRow, destinationId, within, isLinked);
  return changes > 0;
}

export function planMove(store: Store, move: MovedSource, now: number): void {
  const sql = `INSERT INTO moved_sources (item_id, from_path, to_path, state, at) VALUES (?, ?, ?, 'planned', ?)`;
  store.run(sql, move.itemId, move.from, move.to, now);
}

export function dropPlannedMove(store: Store, itemId: number): void {
  store.run(`DELETE FROM moved_sources WHERE item_id = ? AND state = 'planned'`, itemId);
}

export function finishMove(
  store: Store,
  itemId: number,
  state: 'moved' | 'undone',
  now: number,
): void {
  store.run('UPDATE moved_sources SET state = ?, at = ? WHERE item_id = ?', state, now, itemId);
}

function toMove(row: Row) {
  return {
    itemId: integer(row, 'item_id'),
    from: text(row, 'from_path'),
    to: text(row, 'to_path'),
  };
}

export type MovedSource = Readonly<ReturnType<typeof toMove>>;

/** Moves of a destination that were planned but not noted as done, or carried out and not undone; newest first. */
export function movesIn(
  store: Store,
  destinationId: number,
  state: 'planned' | 'moved',
): readonly MovedSource[] {
  const sql = `SELECT moved_sources.* FROM moved_sources ${state === 'planned' ? 'INDEXED BY moves_planned' : ''}
       JOIN items ON items.id = item_id
       WHERE items.destination_id = ? AND moved_sources.state = '${state}' ORDER BY item_id DESC`;
  return store.list(toMove, sql, destinationId);
}
