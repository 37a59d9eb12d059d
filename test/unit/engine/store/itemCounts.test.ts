/** The ledger's counters agree with its items, whatever happens to them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../../main/engine/pipeline/identify/identify.ts';
import {
  addItem,
  forgetContent,
  itemById,
  reidentify,
} from '../../../../main/engine/store/tables/items.ts';
import { unassign } from '../../../../main/engine/store/queue/awaited.ts';
import { tallyBatch } from '../../../../main/engine/store/queue/confirmation.ts';
import { confirmUnsent } from '../../../../main/engine/store/queue/waiting.ts';
import { batchSize } from '../../../../main/engine/store/tables/batches.ts';
import { ensureDestination } from '../../../../main/engine/store/tables/connections.ts';
import { addTogether, moveTogether } from '../../../../main/engine/store/groupCounts.ts';
import { confirmItems, moveItemsOf, moveItem } from '../../../../main/engine/store/transitions.ts';
import {
  requeueTransfer,
  beginSending,
  dropTransfer,
  markSent,
} from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function agree({ store }: TestLedger): void {
  const kept = store.all(
    'SELECT destination_id, state, count, bytes FROM item_counts WHERE count <> 0 OR bytes <> 0 ORDER BY 1, 2',
  );
  expect(kept).toEqual(
    store.all(
      'SELECT destination_id, state, count(*) AS count, sum(size_bytes) AS bytes FROM items GROUP BY 1, 2 ORDER BY 1, 2',
    ),
  );
  const keptByBatch = store.all(
    'SELECT batch_row, destination_id, state, count FROM batch_counts WHERE count <> 0 ORDER BY 1, 2, 3',
  );
  expect(keptByBatch).toEqual(
    store.all(
      `SELECT batch_row, destination_id, state, count(*) AS count FROM items WHERE batch_row IS NOT NULL
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ),
  );
  const keptByTime = store.all(
    `SELECT period, destination_id, found, bytes, confirmed, skipped, parked FROM found_counts
     WHERE found <> 0 OR bytes <> 0 OR confirmed <> 0 OR skipped <> 0 OR parked <> 0 ORDER BY 1, 2`,
  );
  expect(keptByTime).toEqual(
    store.all(
      `SELECT found_at / 900000 AS period, destination_id, count(*) AS found, sum(size_bytes) AS bytes,
         sum(state = 'confirmed') AS confirmed, sum(state = 'skipped') AS skipped, sum(state = 'parked') AS parked
       FROM items GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
  );
}

test('while items go through the pipeline, change and leave', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const one = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  const two = ledger.transfer(batch, ['/c.jpg']);
  const queued = ledger.item('/d.jpg', { sizeBytes: 5 });
  agree(ledger);
  beginSending(store, [two.id], 2);
  ledger.sent(one.id, 3);
  agree(ledger);
  confirmItems(store, one.itemIds, 4);
  agree(ledger);
  expect(tallyBatch(store, batch.id)).toMatchObject({ confirmed: 2, sending: 1 });
  expect(batchSize(store, batch.id)).toBe(3);
  requeueTransfer(store, ledger.stored(two.id), false, 5);
  dropTransfer(store, two.id, 6);
  agree(ledger);
  const item = itemById(store, queued);
  if (item === null) throw new Error('it is there');
  forgetContent(store, queued, 0);
  reidentify(store, item, identified('other', { sizeBytes: 7000 }), 7);
  moveItem(store, queued, 'skipped', 8, { code: 'item.ignored', detail: null });
  agree(ledger);
  store.run('DELETE FROM items WHERE id = ?', queued);
  agree(ledger);
});

test('a confirmed item that goes again, or is confirmed without a transfer, counts where it is', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const { id, itemIds } = ledger.transfer(batch, ['/a.jpg']);
  ledger.sent(id, 3);
  confirmItems(store, itemIds, 4);
  const [item = 0] = itemIds;
  moveItem(store, item, 'queued', 5);
  agree(ledger);
  unassign(store, item);
  const place = { batchRow: batch.id, name: 'a.jpg', key: 'a.jpg' };
  expect(confirmUnsent(store, item, place, 6)).toBe(true);
  agree(ledger);
  expect(tallyBatch(store, batch.id).confirmed).toBe(1);
});

test('two destinations that fill one batch are counted apart, and an item that changes all at once counts once', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const [first, second] = ['/a.jpg', '/b.jpg'].map((path) => ledger.item(path));
  const other = ensureDestination(store, ledger.connectionId, 'other');
  store.run(
    `UPDATE items SET destination_id = ?, batch_row = ?, state = 'confirmed', size_bytes = 7, found_at = 5000000 WHERE id = ?`,
    other,
    batch.id,
    first ?? 0,
  );
  store.run('UPDATE items SET batch_row = ? WHERE id = ?', batch.id, second ?? 0);
  agree(ledger);
  expect(tallyBatch(store, batch.id).confirmed).toBe(1);
  expect(batchSize(store, batch.id)).toBe(2);
});

test('a change that is taken back changes no count', () => {
  const ledger = createTestLedger();
  ledger.item('/a.jpg');
  const act = (): void =>
    ledger.store.transaction(() => {
      ledger.item('/b.jpg');
      throw new Error('no');
    });
  expect(act).toThrow('no');
  agree(ledger);
});

test('an archive whose members are in several states, found hours apart, is counted as its members are', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const { id, itemIds } = ledger.transfer(ledger.batch(), ['/a.jpg', '/b.jpg', '/c.jpg', '/d.jpg']);
  const [first = 0, second = 0] = itemIds;
  store.run('UPDATE items SET found_at = 90000000, size_bytes = 7 WHERE id = ?', second);
  beginSending(store, [id], 2);
  agree(ledger);
  moveItem(store, first, 'unknown', 3);
  markSent(store, [{ id, hashes: [], proof: null }], 4, 4);
  agree(ledger);
  confirmItems(store, itemIds.slice(0, 3), 5);
  agree(ledger);
  moveItemsOf(store, [id], ['sent', 'sending'], 'unknown', 6);
  agree(ledger);
  expect(store.all('SELECT state FROM items ORDER BY id').map(({ state }) => state)).toEqual([
    ...['confirmed', 'confirmed', 'confirmed', 'unknown'],
  ]);
});

test('items that are added together are counted, also those that rest at once', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  ledger.item('/a.jpg');
  const other = ensureDestination(store, ledger.connectionId, 'other');
  addTogether(store, () => {
    ledger.item('/b.jpg', { sizeBytes: 5 });
    ledger.item('/c.jpg', { state: 'skipped' });
    const place = { destinationId: other, path: '/d.jpg', relativePath: 'd.jpg', baseId: null };
    addItem(store, place, identified('d'), 5_000_000);
  });
  agree(ledger);
  expect(store.all('SELECT last_found_at AS at FROM destinations ORDER BY id')).toEqual([
    { at: 1000 },
    { at: 5_000_000 },
  ]);
  ledger.item('/e.jpg');
  agree(ledger);
});

test('files that are found together are counted, known ones too', async () => {
  const ledger = createTestLedger();
  const { store, directory, destinationId } = ledger;
  const pipeline = createTestPipeline(ledger);
  const options = { destinationId, isWatched: true };
  const look = async (contents: Readonly<Record<string, Buffer>>): Promise<void> => {
    const found = Object.entries(contents).map(([relativePath, content]) => {
      const path = join(directory, relativePath);
      writeFileSync(path, content);
      return { path, relativePath, error: null };
    });
    await identify(pipeline, options, found);
    agree(ledger);
  };
  await look({ 'a.jpg': tinyJpeg(1), 'b.jpg': tinyJpeg(2) });
  await look({ 'a.jpg': Buffer.alloc(0), 'b.jpg': tinyJpeg(2), 'c.jpg': tinyJpeg(3) });
  expect(store.all('SELECT state FROM items ORDER BY path').map(({ state }) => state)).toEqual([
    ...['skipped', 'skipped', 'queued', 'queued'],
  ]);
});

test('a group that fails changes nothing, and what follows is counted', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const id = ledger.item('/a.jpg');
  const queued = { sql: 'id = ?1', values: [id] };
  const miscounted = (): number => moveTogether(store, queued, { state: 'planned' }, () => 0);
  expect(miscounted).toThrow('bug.illegalTransition');
  agree(ledger);
  const failing = (): void => {
    addTogether(store, () => {
      ledger.item('/b.jpg');
      throw new Error('no');
    });
  };
  await expect(store.soon(failing)).rejects.toThrow('no');
  ledger.item('/c.jpg');
  agree(ledger);
  expect(store.get('SELECT count(*) AS count FROM items')).toEqual({ count: 2 });
});
