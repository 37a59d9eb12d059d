/** Which files may be uploaded once more, and where nothing would be sent because they are there. */
import type { UploadAgain } from '../core/model.ts';
import type { Files } from '../core/ports.ts';
import { oneOf, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { BATCH_STATES } from '../store/transitions.ts';

const MOST_BATCHES = 20;

/**
 * What an upload of these items once more means. Only those that are confirmed or were gone count: what is under way or was left out has
 * its own way back. `expired` is the id that was asked for: a further batch of it is begun.
 */
export async function uploadAgain(
  store: Store,
  files: Pick<Files, 'facts'>,
  ids: readonly number[],
): Promise<UploadAgain> {
  const rows = store.all(
    `SELECT DISTINCT items.path FROM items WHERE items.id IN (SELECT value FROM json_each(?))
       AND (items.state = 'confirmed' OR items.reason = 'item.gone') ORDER BY items.path`,
    JSON.stringify(ids),
  );
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
      JSON.stringify(ids),
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
