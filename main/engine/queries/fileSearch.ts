/** Where a file is, asked by a part of its name: by an index from the beginning of the name, else among the newest files. */
import type { FoundFile } from '../core/model.ts';
import { integer, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { ITEM_COLUMNS, likePattern, toItemRow } from './itemPages.ts';

/** The name of a file, word for word as in the index items_file_name. */
const NAME = `lower(substr(path, length(rtrim(path, replace(replace(path, '/', ''), '\\', ''))) + 1))`;
/** So many of the newest items are looked through when no name begins so: some milliseconds. Our choice. */
const NEWEST = 20_000;
/** So many names that begin so are looked at: of other connections there may be any number. Our choice. */
const NAMED = 5_000;
/** Shorter words find too much. */
const MIN_LETTERS = 2;

/** The files of a connection whose names begin with the text, else those of the newest that hold it; at most `limit`. */
export function findFiles(
  store: Store,
  connectionId: number,
  search: string,
  limit: number,
): readonly FoundFile[] {
  const text = search.trim();
  if (text.length < MIN_LETTERS) return [];
  const begun = idsOf(
    store,
    `SELECT id FROM (SELECT items.id, destination_id FROM items INDEXED BY items_file_name
       WHERE ${NAME} >= lower(?1) AND ${NAME} < lower(?1) || char(1114111) ORDER BY ${NAME} LIMIT ${NAMED})
     WHERE destination_id IN (SELECT id FROM destinations WHERE connection_id = ?2) LIMIT ?3`,
    [text, connectionId, limit],
  );
  const ids =
    begun.length > 0
      ? begun
      : idsOf(
          store,
          `SELECT items.id FROM items NOT INDEXED WHERE items.id > (SELECT coalesce(max(id), 0) FROM items) - ${NEWEST}
             AND path LIKE ?1 ESCAPE '\\'
             AND destination_id IN (SELECT id FROM destinations WHERE connection_id = ?2) ORDER BY items.id DESC LIMIT ?3`,
          [likePattern(text), connectionId, limit],
        );
  return ids.flatMap((id) => foundFile(store, id) ?? []);
}

function idsOf(store: Store, sql: string, values: readonly (string | number)[]): readonly number[] {
  return store.all(sql, ...values).map((row) => integer(row, 'id'));
}

/** One file with the batch it went to; null when there is none with this id. */
export function foundFile(store: Store, id: number): FoundFile | null {
  const row = store.get(
    `SELECT ${ITEM_COLUMNS}, found_at, batches.batch_id FROM items LEFT JOIN batches ON batches.id = items.batch_row
     WHERE items.id = ?`,
    id,
  );
  if (row === null) return null;
  return {
    ...toItemRow(row),
    batchId: textOrNull(row, 'batch_id'),
    foundAt: integer(row, 'found_at'),
  };
}
