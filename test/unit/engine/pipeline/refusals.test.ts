/** When several files in a row are refused, the batch is refused. */
import { expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { createRefusals } from '../../../../main/engine/pipeline/refusals.ts';
import type { TransferOutcome } from '../../../../main/engine/pipeline/send/transferOutcome.ts';
import {
  recordSent,
  settle,
  type Attempt,
} from '../../../../main/engine/pipeline/send/transferSettle.ts';
import { batchByRow } from '../../../../main/engine/store/tables/batches.ts';
import { itemsOfTransfer } from '../../../../main/engine/store/tables/items.ts';
import { dueTransfers } from '../../../../main/engine/store/queue/dueTransfers.ts';
import { beginSending, transferById } from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const CONFLICT = sluiceError('service.refused', { status: 409 });
const TOO_LARGE = sluiceError('service.refused', { status: 413 });

test('three different files with the same answer', () => {
  const refusals = createRefusals();
  expect(refusals.note(1, 10, CONFLICT)).toBe(null);
  expect(refusals.note(1, 10, CONFLICT)).toBe(null);
  expect(refusals.note(1, 11, CONFLICT)).toBe(null);
  expect(refusals.note(2, 12, CONFLICT)).toBe(null);
  expect(refusals.note(1, 13, CONFLICT)).toEqual([10, 11, 13]);
  expect(refusals.note(1, 14, CONFLICT)).toBe(null);
});

test('another answer, or a file that was taken, starts over', () => {
  const refusals = createRefusals();
  refusals.note(1, 10, CONFLICT);
  refusals.note(1, 11, CONFLICT);
  expect(refusals.note(1, 12, TOO_LARGE)).toBe(null);
  refusals.note(1, 13, CONFLICT);
  refusals.note(1, 14, CONFLICT);
  refusals.taken(1);
  expect(refusals.note(1, 15, CONFLICT)).toBe(null);
});

/** A batch of single images in a ledger; `began` begins a try of each, all in parallel. */
function createScene() {
  const ledger = createTestLedger();
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const { id: row } = ledger.batch({ mode: 'single' });
  const present = () => batchByRow(store, row) ?? ledger.batch();
  const began = (ids: readonly number[]): readonly Attempt[] =>
    ids.flatMap((id) => {
      beginSending(store, [id], 1000);
      const transfer = transferById(store, id);
      const items = itemsOfTransfer(store, id);
      return transfer === null ? [] : [{ pipeline, transfer, batch: present(), items }];
    });
  const scope = {
    connectionId: ledger.connectionId,
    bases: null,
    ending: new Set<number>(),
    order: 'oldest',
  } as const;
  return {
    pipeline: pipeline,
    present,
    began,
    plan: (count: number) =>
      Array.from({ length: count }, (_, at) => ledger.transfer(present(), [`${at}.jpg`]).id),
    states: () =>
      store.all('SELECT state FROM items ORDER BY id').map((found) => String(found['state'])),
    due: (at: number) => dueTransfers(store, scope, new Set(), at, 9).map(({ id }) => id),
  };
}

const REFUSED: TransferOutcome = { kind: 'refused', error: CONFLICT };

test('files that were under way when the batch was refused are not parked, however many', () => {
  const { plan, began, present, states } = createScene();
  for (const attempt of began(plan(5))) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  expect(states()).toEqual(['queued', 'queued', 'queued', 'planned', 'planned']);
});

test('another file that is accepted ends the hold', () => {
  const { pipeline, plan, began, present } = createScene();
  const tries = began(plan(4));
  for (const attempt of tries.slice(0, 3)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  const [taken] = tries.slice(3);
  if (taken === undefined) throw new Error('the fourth try is there');
  const { transfer, batch } = taken;
  recordSent(pipeline, [{ id: transfer.id, batchRow: batch.id, hashes: [], proof: null }]);
  expect(present().holdCode).toBe(null);
});

test('after a hold, another file is tried before the one that was refused last', () => {
  const { pipeline, plan, began, due } = createScene();
  const planned = plan(5);
  const [, , , fourth = 0, fifth = 0] = planned;
  for (const attempt of began(planned.slice(0, 4))) settle(attempt, REFUSED);
  const until = pipeline.time.now() + pipeline.times.parkedAgainMs;
  expect(due(until - 1)).toEqual([]);
  expect(due(until)).toEqual([fifth]);
  expect(due(until + pipeline.times.backoffFirstMs)).toEqual([fourth, fifth]);
});
