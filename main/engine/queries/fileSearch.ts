/** Finds files by part of their name: by an index on how names start, else among the newest files. */
import type { FoundFile } from '../core/model.ts';
import { integer, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { isLike, ITEM_COLUMNS, likePattern, nameOf, toItemRow } from './itemPages.ts';

const NAME = nameOf('path');
/** How many of the newest items are searched if no name starts with the text: takes some milliseconds. Our choice. */
const NEWEST = 20_000;
/** How many names that start with the text are checked: any number may belong to other connections. Our choice. */
const NAMED = 5_000;
/** Shorter words match too much. */
const MIN_LETTERS = 2;

/** A connection's files whose names start with the text, else the newest files that contain it; at most `limit`. */
export function findFiles(
  store: Store,
  connectionId: number,
  search: string,
  limit: number,
): readonly FoundFile[] {
  const text = search.trim();
  if (text.length < MIN_LETTERS) return [];
  const sql = `SELECT id FROM (SELECT items.id, destination_id FROM items INDEXED BY items_file_name
       WHERE ${NAME} >= lower(?1) AND ${NAME} < lower(?1) || char(1114111) ORDER BY ${NAME} LIMIT ${NAMED})
     WHERE destination_id IN (SELECT id FROM destinations WHERE connection_id = ?2) LIMIT ?3`;
  const begun = store.ids(sql, text, connectionId, limit);
  const ids =
    begun.length > 0
      ? begun
      : store.ids(
          `SELECT items.id FROM items NOT INDEXED WHERE items.id > (SELECT coalesce(max(id), 0) FROM items) - ${NEWEST}
             AND ${isLike(store, '?1')}
             AND destination_id IN (SELECT id FROM destinations WHERE connection_id = ?2) ORDER BY items.id DESC LIMIT ?3`,
          likePattern(text),
          connectionId,
          limit,
        );
  return ids.flatMap((id) => foundFile(store, id) ?? []);
}

export function foundFile(store: Store, id: number): FoundFile | null {
  const sql = `SELECT ${ITEM_COLUMNS}, found_at, batches.batch_id FROM items LEFT JOIN batches ON batches.id = items.batch_row
     WHERE items.id = ?`;
  const row = store.get(sql, id);
  if (row === null) return null;
  return {
    ...toItemRow(row),
    batchId: textOrNull(row, 'batch_id'),
    foundAt: integer(row, 'found_at'),
  };
}
