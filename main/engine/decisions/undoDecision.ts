/** Taking back what a person decided about problems: "Try again" and "Mark as delivered". Nothing that has left is called back. */
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import { ITEM_STATES, type ItemState } from '../core/model.ts';
import { integer, oneOf, oneOfOrNull, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { unplanItem } from '../store/queue/forgetting.ts';
import { moveItem } from '../store/transitions.ts';

/** How an item was before a decision. */
interface Before {
  readonly id: number;
  readonly state: ItemState;
  readonly code: ErrorCode;
  readonly detail: string | null;
}

/** A decision as far as it can be taken back. */
export interface Undoable {
  readonly before: readonly Before[];
  /** What the decision made of them. */
  readonly became: 'queued' | 'confirmed';
  /** When, epoch ms by this computer's clock: an item that has moved since is left as it is. */
  readonly at: number;
}

/** How these items are now, to be asked before a decision; only those that rest for a reason. */
export function itemsBefore(store: Store, ids: readonly number[]): readonly Before[] {
  return store
    .all(
      `SELECT id, state, reason, detail FROM items
       WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('parked', 'skipped') ORDER BY id`,
      JSON.stringify(ids),
    )
    .flatMap((row) => {
      const code = oneOfOrNull(row, 'reason', ERROR_CODES);
      if (code === null) return [];
      const state = oneOf(row, 'state', ITEM_STATES);
      return [{ id: integer(row, 'id'), state, code, detail: textOrNull(row, 'detail') }];
    });
}

/** True for an item that has not moved since the decision. */
function isAsDecided(store: Store, id: number, became: Undoable['became'], at: number): boolean {
  const sql = 'SELECT 1 AS same FROM items WHERE id = ? AND state = ? AND state_at = ?';
  return store.get(sql, id, became, at) !== null;
}

/** Puts items back to what they were, as long as nothing of them left and no other decision was made since. Answers how many. */
export function undoDecision(store: Store, { before, became, at }: Undoable, now: number): number {
  return store.transaction(() => {
    let count = 0;
    for (const { id, state, code, detail } of before) {
      if (
        !isAsDecided(store, id, became, at) &&
        !(became === 'queued' && unplanItem(store, id, now))
      )
        continue;
      moveItem(store, id, state, now, { code, detail });
      count += 1;
    }
    return count;
  });
}
