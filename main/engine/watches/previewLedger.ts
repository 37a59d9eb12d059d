/** Ledger facts that change what a rule does: which files are already uploaded, and which batches are still open. */
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { batchSize, newestGeneration, nextGeneration } from '../store/tables/batches.ts';

/** Reads for a connection; `destinationId` is that of the rule's watch, or null for a new one. */
export function previewLedger(store: Store, connectionId: number, destinationId: number | null) {
  return {
    /** Those of the paths that are uploaded or on their way, with their sizes at that time. */
    uploaded: (paths: readonly string[]): ReadonlyMap<string, number> => {
      if (destinationId === null) return new Map();
      const sql = `SELECT path, size_bytes FROM items WHERE destination_id = ? AND path IN (SELECT value FROM json_each(?))
           AND state NOT IN ('skipped', 'parked')`;
      const rows = store.all(sql, destinationId, paths);
      return new Map(rows.map((row) => [text(row, 'path'), integer(row, 'size_bytes')]));
    },
    /** The generation of a batch that takes the next file, and how many files it has now. */
    nextGeneration: (baseId: string) => {
      const newest = newestGeneration(store, connectionId, baseId);
      if (newest?.state === 'open') {
        return { generation: newest.generation, holds: batchSize(store, newest.id) };
      }
      return { generation: nextGeneration(store, connectionId, baseId), holds: 0 };
    },
    /** True when the batch already has images, so that videos get a batch of their own. */
    holdsImages: (baseId: string) =>
      newestGeneration(store, connectionId, baseId)?.kind === 'image',
  };
}

export type PreviewLedger = ReturnType<typeof previewLedger>;
