/** Queries that watches repeat: their results, and that they cost only index look-ups. */
import { expect, test } from 'vitest';
import { openBatchesOf, transferFoundAt } from '../../../../main/engine/store/queue/closing.ts';
import { itemsToMove } from '../../../../main/engine/store/tables/moves.ts';
import type { Store } from '../../../../main/engine/store/store.ts';
import { beginSending } from '../../../../main/engine/store/tables/transfers.ts';
import {
  addWatch,
  assignBase,
  lastFoundAt,
  oldestWaiting,
} from '../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

test('what a watch asks every second reads rows, not tables', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const watch = addWatch(store, connectionId, standardRule('/in', 'cam'), 'camera', false, 1);
  const batch = ledger.batch();
  store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watch.id, batch.id);
  ledger.item('waits.jpg');
  expect(openBatchesOf(store, watch.id)).toMatchObject([{ newestTransfer: null }]);
  ledger.transfer(batch, ['a.jpg', 'b.jpg']);
  const { id } = ledger.transfer(batch, ['c.jpg']);
  beginSending(store, [id], 5);
  expect(openBatchesOf(store, watch.id)).toMatchObject([{ newestTransfer: id, waiting: false }]);
  // Only what is for this very batch is late for it.
  const mine = addWatch(store, connectionId, standardRule('/mine', 'cam'), 'mine', false, 1);
  store.run('UPDATE watches SET destination_id = ? WHERE id = ?', ledger.destinationId, mine.id);
  store.run('UPDATE batches SET watch_id = ? WHERE id = ?', mine.id, batch.id);
  const other = ledger.item('other.jpg');
  assignBase(store, other, 'tomorrow');
  expect(openBatchesOf(store, mine.id)).toMatchObject([{ waiting: true, late: false }]);
  assignBase(store, ledger.item('late.jpg'), batch.baseId);
  expect(openBatchesOf(store, mine.id)).toMatchObject([{ waiting: true, late: true }]);
  store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watch.id, batch.id);
  expect(transferFoundAt(store, id)).toBe(1000);
  expect(lastFoundAt(store, ledger.destinationId)).toBe(1000);
  expect(lastFoundAt(store, watch.destinationId)).toBeNull();
  expect(oldestWaiting(store, ledger.destinationId)).toBe(1);
  const plans: string[] = [];
  const spied: Store = {
    ...store,
    get: (...given) => {
      plans.push(given[0]);
      return store.get(...given);
    },
    all: (...given) => {
      plans.push(given[0]);
      return store.all(...given);
    },
    ids: (...given) => {
      plans.push(given[0]);
      return store.ids(...given);
    },
  };
  openBatchesOf(spied, watch.id);
  oldestWaiting(spied, watch.destinationId);
  lastFoundAt(spied, watch.destinationId);
  itemsToMove(
    spied,
    { batchRow: batch.id, destinationId: 1, within: '/in/', isLinked: true },
    0,
    9,
  );
  for (const sql of plans) {
    const marks = [...sql.matchAll(/\?/g)].map(() => 1);
    const steps = store
      .all(`EXPLAIN QUERY PLAN ${sql}`, ...marks)
      .map((row) => String(row['detail']));
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(steps.filter((step) => /TEMP B-TREE/.test(step))).toEqual([]);
  }
});
