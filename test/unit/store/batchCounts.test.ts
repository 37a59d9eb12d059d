/** Counts that stand on a batch's own row: they agree with its items whatever happens to these. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchSize } from '../../../main/engine/store/batches.ts';
import { openBatchesOf } from '../../../main/engine/store/closing.ts';
import { itemsToMove } from '../../../main/engine/store/moves.ts';
import type { Store } from '../../../main/engine/store/store.ts';
import { dropTransfer } from '../../../main/engine/store/transfers.ts';
import { moveItem, moveToPlace } from '../../../main/engine/store/transitions.ts';
import { addWatch, lastFoundAt, oldestWaiting } from '../../../main/engine/store/watches.ts';
import { standardRule } from '../../../preload/standardRule.ts';
import { createTestLedger, type TestLedger } from '../../helpers/ledger.ts';

function counted(ledger: TestLedger, batchRow: number): unknown {
  const row = ledger.store.get(
    `SELECT count(*) AS count FROM items WHERE batch_row = ? AND state <> 'skipped'`,
    batchRow,
  );
  return row?.['count'];
}

const STEPS = ['plan', 'drop', 'skip', 'delete', 'elsewhere'] as const;

test('planned, dropped, left out, deleted or planned elsewhere: the count is that of its items', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 20 }), (steps) => {
      const ledger = createTestLedger();
      const { store } = ledger;
      const batch = ledger.batch();
      const other = ledger.batch({ batchId: 'other', baseId: 'other' });
      let number = 0;
      let last: { id: number; itemIds: readonly number[] } | null = null;
      for (const step of steps) {
        number += 1;
        if (step === 'plan' || last === null) {
          last = ledger.transfer(batch, [`${number}-a.jpg`, `${number}-b.jpg`]);
          continue;
        }
        const [first = 0, second = 0] = last.itemIds;
        if (step === 'skip') moveItem(store, first, 'skipped', 1);
        if (step !== 'skip') dropTransfer(store, last.id, 1);
        if (step === 'delete') store.run('DELETE FROM items WHERE id = ?', second);
        if (step === 'elsewhere') {
          const place = { batchRow: other.id, transferId: last.id, position: 0 };
          moveToPlace(store, second, { ...place, name: `${number}`, nameKey: `${number}` }, 1);
        }
        last = null;
      }
      for (const { id } of [batch, other]) expect(batchSize(store, id)).toBe(counted(ledger, id));
    }),
    { numRuns: 12 },
  );
});

test('what a watch asks every second reads rows, not tables', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const watch = addWatch(store, connectionId, standardRule('/in', 'cam'), false, 1);
  const batch = ledger.batch();
  store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watch.id, batch.id);
  ledger.item('waits.jpg');
  const { itemIds } = ledger.transfer(batch, ['a.jpg', 'b.jpg']);
  expect(openBatchesOf(store, watch.id)).toMatchObject([{ items: 2, newestItem: itemIds[1] }]);
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
  };
  openBatchesOf(spied, watch.id);
  oldestWaiting(spied, watch.destinationId);
  lastFoundAt(spied, watch.destinationId);
  itemsToMove(spied, batch.id, 0, 100);
  for (const sql of plans) {
    const marks = [...sql.matchAll(/\?/g)].map(() => 1);
    const steps = store
      .all(`EXPLAIN QUERY PLAN ${sql}`, ...marks)
      .map((row) => String(row['detail']));
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(steps.filter((step) => /TEMP B-TREE/.test(step))).toEqual([]);
  }
});
