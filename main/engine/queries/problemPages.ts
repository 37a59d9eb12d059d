/** What needs a person, grouped by cause. */
import { z } from 'zod';
import { type ErrorCode } from '../core/errors.ts';
import { MEDIA_KINDS, type ProblemGroup, type ProblemRow } from '../core/model.ts';
import { storedWords } from '../core/storedFacts.ts';
import { codeOf, integer, integerOrNull, oneOfOrNull, text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const MOST_ROWS = 50;
const MOST_GROUPS = 200;

export function problemGroups(store: Store, connectionId: number): readonly ProblemGroup[] {
  const sql = `SELECT items.reason, count(DISTINCT items.path) AS count FROM items INDEXED BY items_parked
     JOIN destinations ON destinations.id = items.destination_id
     WHERE items.state = 'parked' AND items.reason IS NOT NULL AND destinations.connection_id = ?
     GROUP BY items.reason ORDER BY count DESC LIMIT ?`;
  const groups = store.all(sql, connectionId, MOST_GROUPS);
  return groups.map((group) => {
    const code = codeOf(group, 'reason');
    const rows = rowsOf(store, connectionId, code);
    const details = new Set(rows.map((row) => row.detail));
    const detail = details.size === 1 ? (rows[0]?.detail ?? null) : null;
    return { code, detail, count: integer(group, 'count'), rows };
  });
}

/** The items of a cause by path: the same file may have been found by a watch and also dropped. */
function rowsOf(store: Store, connectionId: number, code: ErrorCode): readonly ProblemRow[] {
  const sql = `SELECT min(items.id) AS first, json_group_array(items.id) AS ids, items.path,
         coalesce(max(CASE WHEN watches.id IS NOT NULL THEN items.relative_path END), min(items.relative_path)) AS relative_path,
         max(items.detail) AS detail, min(items.state_at) AS state_at, min(batches.batch_id) AS batch_id,
         min(items.kind) AS kind, max(watches.id) AS watch_id
       FROM items INDEXED BY items_parked JOIN destinations ON destinations.id = items.destination_id
       LEFT JOIN batches ON batches.id = items.batch_row
       LEFT JOIN watches ON watches.destination_id = items.destination_id AND watches.state <> 'removed' AND watches.one_off = 0
       WHERE items.state = 'parked' AND items.reason = ? AND destinations.connection_id = ?
       GROUP BY items.path ORDER BY first LIMIT ?`;
  return store.all(sql, code, connectionId, MOST_ROWS).map((row) => ({
    id: integer(row, 'first'),
    ids: idList.parse(JSON.parse(text(row, 'ids'))),
    path: text(row, 'path'),
    relativePath: text(row, 'relative_path'),
    kind: oneOfOrNull(row, 'kind', MEDIA_KINDS),
    watchId: integerOrNull(row, 'watch_id'),
    batchId: textOrNull(row, 'batch_id'),
    code,
    detail: storedWords(textOrNull(row, 'detail')),
    since: integer(row, 'state_at'),
  }));
}

const idList = z.array(z.number());
