/** Sources that were moved after their confirmation: planned before, noted after, so that a crash and an undo know. */
import { type Item, itemById } from './items.ts';
import { integer, text } from './rows.ts';
import type { Store } from './store.ts';

export interface MovedSource {
  readonly itemId: number;
  readonly from: string;
  readonly to: string;
}

/** Items of a watch, beyond an id, whose source may move now: confirmed, in a closed batch, whose job (if any) is done. */
export function itemsToMove(
  store: Store,
  watch: {
    readonly destinationId: number;
    readonly needsJob: boolean;
    readonly needsFetch: boolean;
  },
  after: number,
  most: number,
): readonly Item[] {
  return store
    .all(
      `SELECT items.id FROM items JOIN batches ON batches.id = items.batch_row
       WHERE items.destination_id = ?1 AND items.id > ?5 AND items.state = 'confirmed' AND batches.state <> 'open'
         AND NOT EXISTS (SELECT 1 FROM moved_sources WHERE item_id = items.id)
         AND (?2 = 0 OR EXISTS (SELECT 1 FROM jobs WHERE jobs.connection_id = batches.connection_id
           AND jobs.batch_id = batches.batch_id AND jobs.state = 'succeeded' AND (?3 = 0 OR jobs.fetched = 1)))
       ORDER BY items.id LIMIT ?4`,
      watch.destinationId,
      watch.needsJob ? 1 : 0,
      watch.needsFetch ? 1 : 0,
      most,
      after,
    )
    .flatMap((row) => itemById(store, integer(row, 'id')) ?? []);
}

/** Notes that a source is about to be moved. */
export function planMove(store: Store, move: MovedSource, now: number): void {
  store.run(
    `INSERT INTO moved_sources (item_id, from_path, to_path, state, at) VALUES (?, ?, ?, 'planned', ?)`,
    move.itemId,
    move.from,
    move.to,
    now,
  );
}

/** Forgets a move that was only planned. */
export function dropPlannedMove(store: Store, itemId: number): void {
  store.run(`DELETE FROM moved_sources WHERE item_id = ? AND state = 'planned'`, itemId);
}

/** Notes how a move ended. */
export function finishMove(
  store: Store,
  itemId: number,
  state: 'moved' | 'undone',
  now: number,
): void {
  store.run('UPDATE moved_sources SET state = ?, at = ? WHERE item_id = ?', state, now, itemId);
}

/** Moves of a watch in a state, newest first. */
export function movesOf(
  store: Store,
  destinationId: number,
  state: 'planned' | 'moved',
): readonly MovedSource[] {
  return store
    .all(
      `SELECT moved_sources.* FROM moved_sources JOIN items ON items.id = item_id
       WHERE items.destination_id = ? AND moved_sources.state = ? ORDER BY item_id DESC`,
      destinationId,
      state,
    )
    .map((row) => ({
      itemId: integer(row, 'item_id'),
      from: text(row, 'from_path'),
      to: text(row, 'to_path'),
    }));
}
