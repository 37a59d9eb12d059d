/** "Always leave out files like this": adds a pattern to a watch's rule, and settles the problems that match it. */
import { ok, type Result, usage } from '../core/errors.ts';
import { createRuleFilter } from '../watches/rule.ts';
import { changeWatch, watchById, type WatchRegistry } from '../watches/registry.ts';
import { type Item, itemById } from '../store/tables/items.ts';
import { ignoreItems } from './problems.ts';
import { decide, undoDecision, type Undoable } from './undoDecision.ts';

/** A pattern in the rule of a watch. */
export interface LeftOutLike {
  readonly watchId: number;
  readonly pattern: string;
}

/** Adds a pattern to what a watch leaves out, and ignores its parked files that match. Errors: usage.invalid, or as for changeWatch. */
export async function leaveOutLike(
  watches: WatchRegistry,
  { watchId, pattern }: LeftOutLike,
): Promise<Result<Undoable>> {
  const { store, ports } = watches;
  const watch = watchById(store, watchId);
  if (watch === null) return usage('no such watch');
  const changed = await changeWatch(watches, watchId, (rule) => {
    const exclude = [...rule.exclude.filter((glob) => glob !== pattern), pattern];
    return ok({ ...rule, exclude });
  });
  if (!changed.ok) return changed;
  const reasonOf = createRuleFilter({
    ...changed.value,
    exclude: [pattern],
    include: [],
    kinds: 'both',
  });
  const sql = `SELECT id FROM items INDEXED BY items_parked WHERE destination_id = ? AND state = 'parked'`;
  const items = store.ids(sql, watch.destinationId).flatMap((id): readonly Item[] => {
    const item = itemById(store, id);
    return item !== null && reasonOf(item.relativePath, 'file') !== null ? [item] : [];
  });
  return ok(decide(store, items, 'skipped', ports.clock.now(), ignoreItems));
}

/** Removes the pattern from the rule, and lists the files ignored because of it as problems again. Errors as for leaveOutLike. */
export async function undoLeaveOutLike(
  watches: WatchRegistry,
  { watchId, pattern }: LeftOutLike,
  decision: Undoable,
): Promise<Result<number>> {
  const { store, ports } = watches;
  const changed = await changeWatch(watches, watchId, (rule) => {
    const exclude = rule.exclude.filter((glob) => glob !== pattern);
    return ok({ ...rule, exclude });
  });
  if (!changed.ok) return changed;
  return ok(undoDecision(store, decision, ports.clock.now()));
}
