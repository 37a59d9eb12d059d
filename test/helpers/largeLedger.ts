/** A ledger that looks as after a long season: batches of very many confirmed items, put in by the database itself. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { addBatch, startExpiry } from '../../main/engine/store/tables/batches.ts';
import { ensureConnection, ensureDestination } from '../../main/engine/store/tables/connections.ts';
import { openStore } from '../../main/engine/store/store.ts';

/** What stands in the ledger. */
export interface LargeLedger {
  readonly apiUrl: string;
  readonly workspace: string;
  readonly batchId: string;
  readonly displayName: string | null;
  /** Every thousandth is parked; the rest is confirmed. */
  readonly items: number;
  readonly now: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Writes one batch with its items into the ledger at `path`, which is made when it is not there. */
export function seedLedger(path: string, wanted: LargeLedger): void {
  mkdirSync(dirname(path), { recursive: true });
  const store = openStore(path);
  try {
    const { apiUrl, workspace, batchId, displayName, items, now } = wanted;
    const connectionId = ensureConnection(store, { apiUrl, projectsUrl: apiUrl, workspace });
    const destinationId = ensureDestination(store, connectionId, batchId);
    const batch = addBatch(
      store,
      {
        connectionId,
        baseId: batchId,
        generation: 1,
        batchId,
        displayName,
        kind: 'image',
        mode: 'bulk',
        isExclusive: true,
      },
      null,
      now,
    );
    startExpiry(store, batch.id, now, 7 * DAY_MS);
    store.run(
      `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?1)
       INSERT INTO items (destination_id, path, relative_path, kind, size_bytes, stamp, fingerprint, sha256, state,
         reason, detail, batch_row, name, name_key, found_at, state_at)
       SELECT ?2, printf('/cameras/line-3/%s/frame_%06d.jpg', CASE n % 3 WHEN 0 THEN 'left' WHEN 1 THEN 'right' ELSE 'top' END, n),
         printf('%s/frame_%06d.jpg', CASE n % 3 WHEN 0 THEN 'left' WHEN 1 THEN 'right' ELSE 'top' END, n),
         'image', 180000 + (n * 7919) % 900000, printf('1:%d:1:1', n), printf('s%d-%064x', ?4, n), printf('%064x', n),
         CASE n % 1000 WHEN 999 THEN 'parked' ELSE 'confirmed' END,
         CASE n % 1000 WHEN 999 THEN 'item.truncated' END, NULL, ?4,
         printf('frame_%06d.jpg', n), printf('frame_%06d.jpg', n), ?5, ?5 FROM number`,
      items,
      destinationId,
      batchId,
      batch.id,
      now,
    );
  } finally {
    store.close();
  }
}

/** Puts one more confirmed item into a seeded batch, as a running Sluice would: the window is expected to show it. */
export function addSeededItem(path: string, batchId: string, name: string, now: number): void {
  const store = openStore(path);
  try {
    store.run(
      `INSERT INTO items (destination_id, path, relative_path, kind, size_bytes, stamp, fingerprint, sha256, state,
         batch_row, name, name_key, found_at, state_at)
       SELECT destination_id, '/cameras/line-3/' || ?2, ?2, kind, size_bytes, '1:2:1:1', printf('s100-%064x', ?3), NULL, 'confirmed',
         batch_row, ?2, ?2, ?3, ?3
       FROM items WHERE batch_row = (SELECT id FROM batches WHERE batch_id = ?1) LIMIT 1`,
      batchId,
      name,
      now,
    );
  } finally {
    store.close();
  }
}
