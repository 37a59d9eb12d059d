/** Items whose content was already sent as another item. */
import type { Store } from '../store.ts';
import { moveItem } from '../transitions.ts';
import { forgetContent, type Item, itemById } from './items.ts';

function repeatsOf(store: Store, itemId: number): readonly number[] {
  const sql = `SELECT id FROM items WHERE duplicate_of = ? AND state = 'skipped' AND reason = 'item.duplicate' ORDER BY id`;
  return store.ids(sql, itemId);
}

/** Items that were skipped because this one has the same content. */
export function duplicatesOf(store: Store, itemId: number): readonly Item[] {
  return repeatsOf(store, itemId).flatMap((id) => itemById(store, id) ?? []);
}

/**
 * Requeues the duplicates of an item whose content is uncertain. The first one is identified again, and becomes a duplicate again if that
 * content still exists; the others become duplicates of the first one.
 */
export function requeueDuplicates(store: Store, itemId: number, now: number): void {
  const ids = repeatsOf(store, itemId);
  const first = ids[0];
  if (first === undefined) return;
  moveItem(store, first, 'queued', now);
  store.run('UPDATE items SET duplicate_of = NULL WHERE id = ?', first);
  forgetContent(store, first, 0);
  for (const id of ids.slice(1)) {
    store.run('UPDATE items SET duplicate_of = ? WHERE id = ?', first, id);
  }
}
