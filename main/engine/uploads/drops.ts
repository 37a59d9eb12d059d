/** One-off uploads for the window: those still open, and those finished within a day. */
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Lists destinations without a watch that got files since `since` (epoch ms) or have open items; the newest first. */
export function recentDrops(store: Store, connectionId: number, since: number, limit: number) {
  const sql = `SELECT id, name, last_found_at FROM destinations
       WHERE connection_id = ?1 AND last_found_at IS NOT NULL
         AND (last_found_at > ?2 OR EXISTS (SELECT 1 FROM item_counts WHERE destination_id = destinations.id
           AND state IN ('queued', 'planned', 'sending', 'sent', 'unknown') AND count > 0))
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id)
       ORDER BY last_found_at DESC LIMIT ?3`;
  return store.all(sql, connectionId, since, limit).map((row) => ({
    destinationId: integer(row, 'id'),
    batchId: text(row, 'name'),
    lastFileAt: integer(row, 'last_found_at'),
  }));
}

/** A destination that no watch fills. */
export type Drop = Readonly<ReturnType<typeof recentDrops>[number]>;
