/** What a run finds of an earlier one: planned again where the batch is open, left alone where it is closed, in doubt where it may be there. */
import { expect, test } from 'vitest';
import { recover } from '../../../../main/engine/runner/recover.ts';
import { noteAbsence } from '../../../../main/engine/store/queue/lost.ts';
import { sealBatch } from '../../../../main/engine/store/tables/batches.ts';
import {
  beginSending,
  markUnknown,
  requeueTransfer,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function stateOf({ store }: TestLedger, id: number): string | undefined {
  return transferById(store, id)?.state;
}

test('a single file that was planned in an open batch is planned again; in a closed one it stays', () => {
  const ledger = createTestLedger();
  const open = ledger.transfer(ledger.batch({ mode: 'single' }), ['/a.jpg']);
  const batch = ledger.batch({ mode: 'single', batchId: 'batch-2', baseId: 'batch-2' });
  const closed = ledger.transfer(batch, ['/b.jpg']);
  sealBatch(ledger.store, batch.id, 1000);
  recover(createTestPipeline(ledger));
  expect([stateOf(ledger, open.id), stateOf(ledger, closed.id)]).toEqual(['dropped', 'planned']);
});

test.each(['single', 'bulk'] as const)('what was being sent is in doubt (%s)', (mode) => {
  const ledger = createTestLedger();
  const { id, itemIds } = ledger.transfer(ledger.batch({ mode }), ['/a.jpg']);
  beginSending(ledger.store, [id], 1000);
  recover(createTestPipeline(ledger));
  expect(ledger.stored(id)).toMatchObject({ state: 'unknown', doubtful: true });
  expect(ledger.store.ids(`SELECT id FROM items WHERE state = 'unknown'`)).toEqual(itemIds);
});

test.each(['single', 'bulk'] as const)(
  'what counted as lost and was not sent again is in doubt (%s)',
  (mode) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const { id, itemIds } = ledger.transfer(ledger.batch({ mode }), ['/a.jpg']);
    beginSending(store, [id], 1000);
    markUnknown(store, id, { lastByteAt: 1000, askAt: 0 }, 1000);
    noteAbsence(store, id, 2000);
    requeueTransfer(store, ledger.stored(id), false, 1000);
    recover(createTestPipeline(ledger));
    expect(stateOf(ledger, id)).toBe('unknown');
    expect(store.ids(`SELECT id FROM items WHERE state = 'unknown'`)).toEqual(itemIds);
  },
);
