/** Which files can be uploaded once more, and where nothing would be sent because the files are already there. */
import { dirname } from 'node:path';
import { ok, type Result, usage } from '../core/errors.ts';
import type { BatchAgain, UploadAgain } from '../core/model.ts';
import type { Files } from '../core/ports.ts';
import { integer, oneOf, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { placeOf } from './itemPages.ts';
import { type Batch, batchByServiceId } from '../store/tables/batches.ts';
import { BATCH_STATES } from '../store/transitions.ts';

const MOST_BATCHES = 20;
/** Maximum files of a batch in one decision to upload again: they are saved as one list. Our choice. */
const MOST_FILES = 100_000;
const GROUP_SIZE = 1000;

/**
 * What uploading these items once more means. Only items that are confirmed or whose file was gone count: items in progress continue, and
 * items that were left out can be queued in other ways. `expired` is the originally requested batch id: its next generation is started.
 */
export async function uploadAgain(
  store: Store,
  files: Pick<Files, 'facts'>,
  ids: readonly number[],
): Promise<UploadAgain> {
  const sql = `SELECT DISTINCT ${placeOf('items')} AS path FROM items WHERE items.id IN (SELECT value FROM json_each(?))
       AND (items.state = 'confirmed' OR items.reason = 'item.gone') ORDER BY 1`;
  const rows = store.all(sql, ids);
  const looks = await Promise.all(
    rows.map(async (row) => {
      const path = text(row, 'path');
      return { path, isHere: (await files.facts(path)).ok };
    }),
  );
  const holding = store
    .all(
      `SELECT DISTINCT batches.base_id, batches.batch_id, batches.state FROM items
       JOIN batches ON batches.id = items.batch_row
       WHERE items.state = 'confirmed' AND items.id IN (SELECT value FROM json_each(?)) ORDER BY batches.id`,
      ids,
    )
    .map((row) => ({
      baseId: text(row, 'base_id'),
      batchId: text(row, 'batch_id'),
      state: oneOf(row, 'state', BATCH_STATES),
    }));
  const alive = holding.filter(({ state }) => state !== 'expired');
  const ended = holding.find(({ state }) => state === 'expired');
  return {
    paths: looks.filter(({ isHere }) => isHere).map(({ path }) => path),
    gone: looks.filter(({ isHere }) => !isHere).length,
    batches: [...new Set(alive.flatMap(({ batchId, baseId }) => [batchId, baseId]))].slice(
      0,
      MOST_BATCHES,
    ),
    expired: alive.length === 0 ? (ended?.baseId ?? null) : null,
  };
}

/** The files of a batch that the service deleted, in the form that an upload takes. */
export interface BatchFiles extends BatchAgain {
  /** The originally requested batch id: its next generation is started. */
  readonly baseId: string;
  readonly mode: Batch['mode'];
  /** The files that still exist, each with the directory from which it was found, so that its name stays the same. */
  readonly places: readonly { readonly path: string; readonly root: string }[];
}

/** Confirmed files of a batch; `done`: the same file was uploaded again since then, and neither failed nor expired. */
function confirmedFiles(store: Store, batch: Batch) {
  const sql = `SELECT ${placeOf('old')} AS path, old.relative_path, EXISTS (
         SELECT 1 FROM destinations
         JOIN items AS later ON later.destination_id = destinations.id AND later.path IN (old.path, ${placeOf('old')})
         LEFT JOIN batches ON batches.id = later.batch_row
         WHERE destinations.connection_id = ?2 AND later.id > old.id
           AND later.state NOT IN ('skipped', 'parked') AND coalesce(batches.state, '') <> 'expired') AS done
       FROM items AS old WHERE old.batch_row = ?1 AND old.state = 'confirmed' ORDER BY old.id LIMIT ?3`;
  return store.all(sql, batch.id, batch.connectionId, MOST_FILES + 1).map((row) => ({
    path: text(row, 'path'),
    relativePath: text(row, 'relative_path'),
    done: integer(row, 'done') === 1,
  }));
}

/**
 * Which files of a batch that the service deleted can be uploaded once more: its confirmed files, except those that were uploaded again
 * since then. Errors: usage.invalid for a batch that is unknown or has not expired, and for one with more than 100,000 files.
 */
export async function filesOfExpired(
  store: Store,
  files: Pick<Files, 'stat'>,
  connectionId: number,
  batchId: string,
): Promise<Result<BatchFiles>> {
  const batch = batchByServiceId(store, connectionId, batchId);
  if (batch?.state !== 'expired') {
    return usage('the service still has this batch');
  }
  const all = confirmedFiles(store, batch);
  if (all.length > MOST_FILES) {
    return usage('this batch has more than 100,000 files: upload its folder once more instead');
  }
  const open = all.filter(({ done }) => !done);
  const places: { path: string; root: string }[] = [];
  let bytes = 0;
  for (let from = 0; from < open.length; from += GROUP_SIZE) {
    const group = open.slice(from, from + GROUP_SIZE);
    const looks = await files.stat(group.map(({ path }) => path));
    for (const [at, { path, relativePath }] of group.entries()) {
      const look = looks[at];
      if (look?.ok !== true) continue;
      bytes += look.value.sizeBytes;
      places.push({ path, root: rootOf(path, relativePath) });
    }
  }
  return ok({
    baseId: batch.baseId,
    mode: batch.mode,
    places,
    files: places.length,
    bytes,
    gone: open.length - places.length,
    done: all.length - open.length,
  });
}

/** The directory from which a file was found. */
function rootOf(path: string, relativePath: string): string {
  const inside = path.endsWith(relativePath) && relativePath !== path;
  return inside ? path.slice(0, path.length - relativePath.length - 1) || '/' : dirname(path);
}
