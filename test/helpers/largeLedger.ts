/** A ledger as it looks after months of use: batches with very many confirmed items, generated in SQL for speed. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { addBatch, startExpiry } from '../../main/engine/store/tables/batches.ts';
import { ensureConnection, ensureDestination } from '../../main/engine/store/tables/connections.ts';
import { openStore, type Store } from '../../main/engine/store/store.ts';

/** What the ledger contains. */
export interface LargeLedger {
  readonly apiUrl: string;
  readonly workspace: string;
  /** The first batch; the others add a number to it. */
  readonly batchId: string;
  readonly displayName: string | null;
  /** Total. Every thousandth is parked; the rest are confirmed. */
  readonly items: number;
  /** How many batches share them evenly; one by default. A hundred batches share a destination. */
  readonly batches?: number;
  /** Every n-th is skipped as a copy of the one before it; none by default. */
  readonly copyEvery?: number;
  readonly now: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const QUARTER_MS = 15 * 60 * 1000;
const BATCHES_PER_DESTINATION = 100;
const SHARD_MEMBERS = 500;

/** Items ?1 to ?2 (exclusive), numbered across the whole ledger, with found times spread out. */
const ITEMS = `WITH RECURSIVE number (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?2)
  INSERT INTO items (destination_id, path, relative_path, kind, size_bytes, stamp, fingerprint, content_hash, state,
    reason, detail, batch_row, name, name_key, transfer_id, position, duplicate_of, found_at, state_at)
  SELECT ?3, printf('/cameras/line-3/%s/frame_%06d.jpg', CASE n % 3 WHEN 0 THEN 'left' WHEN 1 THEN 'right' ELSE 'top' END, n),
    printf('%s/frame_%06d.jpg', CASE n % 3 WHEN 0 THEN 'left' WHEN 1 THEN 'right' ELSE 'top' END, n),
    'image', 180000 + (n * 7919) % 900000, printf('1:%d:1:1', n), printf('s%d-%064x', ?4, n), printf('%064x', n),
    CASE WHEN n % 1000 = 999 THEN 'parked' WHEN ?7 > 0 AND n % ?7 = ?7 - 1 THEN 'skipped' ELSE 'confirmed' END,
    CASE WHEN n % 1000 = 999 THEN 'item.truncated' WHEN ?7 > 0 AND n % ?7 = ?7 - 1 THEN 'item.duplicate' END, NULL,
    CASE WHEN n % 1000 <> 999 AND ?7 > 0 AND n % ?7 = ?7 - 1 THEN NULL ELSE ?4 END,
    printf('frame_%06d.jpg', n), printf('frame_%06d.jpg', n), CAST(?6 + (n - ?1) / ${SHARD_MEMBERS} AS INTEGER), n % ${SHARD_MEMBERS},
    CASE WHEN n % 1000 <> 999 AND ?7 > 0 AND n % ?7 = ?7 - 1 THEN (SELECT max(id) FROM items) END,
    ?5 - (n % 96) * ${QUARTER_MS}, ?5
  FROM number`;

/** Adds confirmed shards for this many items; returns the row of the first. */
function addShards(store: Store, batchRow: number, items: number, now: number): number {
  const count = Math.ceil(items / SHARD_MEMBERS);
  const { lastId } = store.run(
    `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
     INSERT INTO transfers (batch_row, kind, state, size_bytes, state_at, sent_at) SELECT ?2, 'shard', 'confirmed', 1, ?3, ?3 FROM number`,
    count,
    batchRow,
    now,
  );
  return lastId - count + 1;
}

function fill(store: Store, wanted: LargeLedger): void {
  const { apiUrl, workspace, batchId, displayName, items, now, batches = 1 } = wanted;
  const connectionId = ensureConnection(store, { apiUrl, projectsUrl: apiUrl, workspace });
  const nameOf = (number: number): string => (number === 0 ? batchId : `${batchId}-${number}`);
  const each = Math.ceil(items / batches);
  for (let number = 0; number < batches; number += 1) {
    const first = number - (number % BATCHES_PER_DESTINATION);
    const destinationId = ensureDestination(store, connectionId, nameOf(first));
    const names = { baseId: nameOf(number), batchId: nameOf(number), displayName };
    const { id } = addBatch(
      store,
      { connectionId, generation: 1, kind: 'image', mode: 'bulk', isExclusive: true, ...names },
      null,
      now + number,
    );
    startExpiry(store, id, now, 7 * DAY_MS);
    const until = Math.min(items, (number + 1) * each);
    const shard = addShards(store, id, until - number * each, now);
    const range = [number * each, until] as const;
    store.run(ITEMS, ...range, destinationId, id, now, shard, wanted.copyEvery ?? 0);
  }
}

/** Writes batches with their items into the ledger at `path`, which is created if missing. */
export function seedLedger(path: string, wanted: LargeLedger): void {
  mkdirSync(dirname(path), { recursive: true });
  const store = openStore(path);
  try {
    store.transaction(() => fill(store, wanted));
  } finally {
    store.close();
  }
}

/** Adds one more confirmed item to a seeded batch, as a running Sluice would; the window is expected to show it. */
export function addSeededItem(path: string, batchId: string, name: string, now: number): void {
  const store = openStore(path);
  try {
    store.run(
      `INSERT INTO items (destination_id, path, relative_path, kind, size_bytes, stamp, fingerprint, content_hash, state,
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
