/**
 * The ledger counts its items as they are added and moved: one by one with triggers, and large groups here, in a few statements
 * (migration 17). Both happen in the transaction that changes the items.
 */
import { sluiceError, SluiceFailure } from '../core/errors.ts';
import type { ItemState } from '../core/model.ts';
import { integer, integerOrNull, text } from './rows.ts';
import type { Store, StoreValue } from './store.ts';

/** Which items belong to a group, as SQL with `?1`, `?2`, … for the values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly StoreValue[];
}

/** The groups of these items, the one with the newest item last. */
function groupsOf(store: Store, { sql, values }: Condition) {
  return store
    .all(
      `SELECT destination_id, batch_row, state, found_at / 900000 AS period, count(*) AS count, sum(size_bytes) AS bytes,
         max(found_at) AS newest_at
       FROM items WHERE ${sql} GROUP BY 1, 2, 3, 4 ORDER BY newest_at`,
      ...values,
    )
    .map((row) => ({
      destinationId: integer(row, 'destination_id'),
      batchRow: integerOrNull(row, 'batch_row'),
      state: text(row, 'state'),
      /** The quarter of an hour in which they were found: see migration 11. */
      period: integer(row, 'period'),
      count: integer(row, 'count'),
      bytes: integer(row, 'bytes'),
      /** When the newest item of the group was found, epoch ms. */
      newestAt: integer(row, 'newest_at'),
    }));
}

/** Items that are counted in the same place. */
type Group = Readonly<ReturnType<typeof groupsOf>[number]>;

function countInBatch(store: Store, group: Group, batchRow: number, count: number): void {
  const { destinationId, state } = group;
  const sql = `INSERT OR IGNORE INTO batch_counts SELECT ?1, ?2, state, 0 FROM item_counts WHERE destination_id = ?2`;
  store.run(sql, batchRow, destinationId);
  store.run(
    'UPDATE batch_counts SET count = count + ? WHERE batch_row = ? AND destination_id = ? AND state = ?',
    count,
    batchRow,
    destinationId,
    state,
  );
}

/** Adds a group to all counts, or takes it away. */
function count(store: Store, group: Group, sign: 1 | -1): void {
  const { destinationId, batchRow, state, period } = group;
  const items = sign * group.count;
  const bytes = sign * group.bytes;
  const sql =
    'UPDATE item_counts SET count = count + ?, bytes = bytes + ? WHERE destination_id = ? AND state = ?';
  store.run(sql, items, bytes, destinationId, state);
  if (batchRow !== null) countInBatch(store, group, batchRow, items);
  store.run(
    'INSERT OR IGNORE INTO found_counts VALUES (?, ?, 0, 0, 0, 0, 0)',
    period,
    destinationId,
  );
  store.run(
    `UPDATE found_counts SET found = found + ?3, bytes = bytes + ?4, confirmed = confirmed + ?3 * (?5 = 'confirmed'),
       skipped = skipped + ?3 * (?5 = 'skipped'), parked = parked + ?3 * (?5 = 'parked')
     WHERE period = ?1 AND destination_id = ?2`,
    period,
    destinationId,
    items,
    bytes,
    state,
  );
}

/** Runs `work` while the triggers count nothing. */
function uncounted<T>(store: Store, work: () => T): T {
  store.run('INSERT INTO counted_together VALUES (1)');
  try {
    return work();
  } finally {
    store.run('DELETE FROM counted_together');
  }
}

/**
 * Moves all items that meet the condition to one state with `work`, which returns how many it moved, and counts them in groups. Returns how
 * many moved. Throws when `work` moved other items than these; nothing is written then.
 */
export function moveTogether(
  store: Store,
  from: Condition,
  to: { readonly state: ItemState; readonly batchRow?: number },
  work: () => number,
): number {
  return store.transaction(() => {
    const before = groupsOf(store, from);
    const expected = before.reduce((sum, group) => sum + group.count, 0);
    const isGroup = expected > 1;
    const moved = isGroup ? uncounted(store, work) : work();
    if (moved !== expected) {
      const facts = { table: 'items', from: before[0]?.state ?? 'none', to: to.state, id: null };
      throw new SluiceFailure(sluiceError('bug.illegalTransition', facts));
    }
    for (const group of isGroup ? before : []) {
      count(store, group, -1);
      count(store, { ...group, ...to }, 1);
    }
    return moved;
  });
}

/** Adds items with `work`, which changes no other items, and counts them together. */
export function addTogether(store: Store, work: () => void): void {
  store.transaction(() => {
    const newest = integerOrNull(store.get('SELECT max(id) AS id FROM items') ?? {}, 'id') ?? 0;
    uncounted(store, work);
    for (const group of groupsOf(store, { sql: 'id > ?1', values: [newest] })) {
      count(store, group, 1);
      const sql = 'UPDATE destinations SET last_found_at = ? WHERE id = ?';
      store.run(sql, group.newestAt, group.destinationId);
    }
  });
}
