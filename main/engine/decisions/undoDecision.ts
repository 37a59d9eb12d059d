/** Undoes what a person decided about problems: "Try again", "Ignore" and "Mark as delivered". Files that were sent stay sent. */
import { ITEM_STATES } from '../core/model.ts';
import { codeOrNull, integer, oneOf, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { unplanItem } from '../store/queue/forgetting.ts';
import { forgetContent, type Item } from '../store/tables/items.ts';
import { moveItem } from '../store/transitions.ts';

export interface Undoable {
  /** How many items the decision is about. */
  readonly count: number;
  readonly before: Readonly<ReturnType<typeof itemsBefore>>;
  /** The state that the decision gave them. */
  readonly became: 'queued' | 'skipped' | 'confirmed';
  /** When the decision was made, in epoch ms by this computer's clock: an item that has changed its state since then is left as it is. */
  readonly at: number;
}

/** The current state of these items; only those queued, or parked or skipped for a reason. */
function itemsBefore(store: Store, items: readonly Item[]) {
  return store
    .all(
      `SELECT id, state, reason, detail FROM items
       WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('queued', 'parked', 'skipped') ORDER BY id`,
      items.map(({ id }) => id),
    )
    .flatMap((row) => {
      const code = codeOrNull(row, 'reason');
      const state = oneOf(row, 'state', ITEM_STATES);
      if (code === null && state !== 'queued') return [];
      return [{ id: integer(row, 'id'), state, code, detail: textOrNull(row, 'detail') }];
    });
}

/** Decides about items in a transaction, so that it can be undone for those that were queued, parked or skipped. */
export function decide(
  store: Store,
  items: readonly Item[],
  became: Undoable['became'],
  now: number,
  act: (store: Store, items: readonly Item[], now: number) => void,
): Undoable {
  const before = itemsBefore(store, items);
  store.transaction(() => act(store, items, now));
  return { count: items.length, before, became, at: now };
}

/** Restores items, except those that may have been sent or were decided on again since. Returns how many. */
export function undoDecision(store: Store, { before, became, at }: Undoable, now: number): number {
  const asDecided = 'SELECT 1 FROM items WHERE id = ? AND state = ? AND state_at = ?';
  return store.transaction(() => {
    let count = 0;
    for (const { id, state, code, detail } of before) {
      const isAsDecided = store.has(asDecided, id, became, at);
      if (!isAsDecided && !(became === 'queued' && unplanItem(store, id, now))) continue;
      moveItem(store, id, state, now, code === null ? null : { code, detail });
      // The file may have changed unnoticed.
      if (state === 'queued') forgetContent(store, id, 0);
      count += 1;
    }
    return count;
  });
}
