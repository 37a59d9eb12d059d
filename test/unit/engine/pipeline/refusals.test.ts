/** When several files in a row are refused, the batch is refused. */
import { expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { createRefusals, isBatchRefused } from '../../../../main/engine/pipeline/refusals.ts';
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
import { waitsOf } from '../../../../main/engine/store/tables/waits.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const CONFLICT = sluiceError('service.refused', { status: 409 });
const TOO_LARGE = sluiceError('service.refused', { status: 413 });

test('different files with the same answer are counted for each batch', () => {
  const refusals = createRefusals();
  expect(refusals.note(1, 10, CONFLICT, true).items).toEqual([10]);
  expect(refusals.note(1, 10, CONFLICT, true)).toEqual({ items: [10], counted: 1 });
  expect(refusals.note(1, 11, CONFLICT, true).items).toEqual([10, 11]);
  expect(refusals.note(2, 12, CONFLICT, true).items).toEqual([12]);
  expect(refusals.note(1, 13, CONFLICT, true)).toEqual({ items: [10, 11, 13], counted: 3 });
});

test('another answer, or a file that was taken, starts over', () => {
  const refusals = createRefusals();
  refusals.note(1, 10, CONFLICT, true);
  expect(refusals.note(1, 12, TOO_LARGE, true).items).toEqual([12]);
  refusals.startOver(1);
  expect(refusals.note(1, 15, TOO_LARGE, true).items).toEqual([15]);
});

test('it takes more refusals where other files were accepted, or are still to be tried', () => {
  expect([2, 3].map((count) => isBatchRefused(count, false))).toEqual([false, true]);
  expect([24, 25].map((count) => isBatchRefused(count, true))).toEqual([false, true]);
});

/** A batch of single images in a ledger; `began` begins a try of each, all in parallel. */
function createScene() {
  const ledger = createTestLedger();
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const { id: row } = ledger.batch({ mode: 'single' });
  const present = () => batchByRow(store, row) ?? ledger.batch();
  const began = (ids: readonly number[], isTrial = true): readonly Attempt[] =>
    ids.flatMap((id) => {
      beginSending(store, [id], 1000);
      const transfer = transferById(store, id);
      const items = itemsOfTransfer(store, id);
      return transfer === null ? [] : [{ pipeline, transfer, batch: present(), items, isTrial }];
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

test('a batch of which every file is refused is held, and none is parked', () => {
  const { plan, began, present, states } = createScene();
  for (const attempt of began(plan(5))) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  expect(states()).toEqual(Array(5).fill('queued'));
});

test('files that were under way when the batch was refused are not parked, however many', () => {
  const { plan, began, present, states } = createScene();
  for (const attempt of began(plan(28))) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  expect(states()).toEqual([...Array(25).fill('queued'), ...Array(3).fill('planned')]);
});

test('files that were under way before the batch was in question do not count, and are not parked when it is refused', () => {
  const { plan, began, present, states } = createScene();
  const planned = plan(53);
  for (const attempt of began(planned.slice(0, 30), false)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe(null);
  const trials = began(planned.slice(30, 52));
  for (const attempt of trials.slice(1)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe(null);
  for (const attempt of trials.slice(0, 1)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  expect(states()).toEqual([...Array(52).fill('queued'), 'planned']);
});

test('bad files before or after good ones are parked by name, and hold up no other', () => {
  const { pipeline, plan, began, present, states } = createScene();
  const tries = began(plan(9));
  const good = tries.slice(4, 5);
  for (const attempt of tries.slice(0, 4)) settle(attempt, REFUSED);
  for (const { transfer, batch } of good)
    recordSent(pipeline, [{ id: transfer.id, batchRow: batch.id, hashes: [], proof: null }]);
  for (const attempt of tries.slice(5)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe(null);
  const parked = Array(4).fill('parked');
  expect(states()).toEqual([...parked, 'sent', ...parked]);
});

test('another file that is accepted ends the hold', () => {
  const { pipeline, plan, began, present } = createScene();
  const tries = began(plan(26));
  for (const attempt of tries.slice(0, 25)) settle(attempt, REFUSED);
  expect(present().holdCode).toBe('service.refused');
  const [taken] = tries.slice(25);
  if (taken === undefined) throw new Error('the last try is there');
  const { transfer, batch } = taken;
  recordSent(pipeline, [{ id: transfer.id, batchRow: batch.id, hashes: [], proof: null }]);
  expect(present().holdCode).toBe(null);
});

test('a hold names the first of the refused files, also after others were refused', () => {
  const { pipeline, plan, began } = createScene();
  const { store, connectionId } = pipeline;
  const refusal = (said: string) => {
    const error = sluiceError('service.refused', { status: 400, said });
    return { kind: 'refused', error } as const;
  };
  const tries = began(plan(27));
  for (const attempt of tries.slice(0, 26)) settle(attempt, refusal('not readable'));
  const details = () => waitsOf(store, connectionId).map(({ detail }) => detail);
  expect(details()).toEqual(['25 files in a row, such as 0.jpg, 1.jpg, 2.jpg: not readable']);
  for (const attempt of tries.slice(26)) settle(attempt, refusal('too old'));
  expect(details()).toEqual(['26.jpg: too old']);
});

test('after a hold, another file is tried before the one that was refused last', () => {
  const { pipeline, plan, began, due } = createScene();
  const planned = plan(27);
  const [last = 0, untried = 0] = planned.slice(25);
  for (const attempt of began(planned.slice(0, 26))) settle(attempt, REFUSED);
  const until = pipeline.time.now() + pipeline.times.parkedAgainMs;
  expect(due(until - 1)).toEqual([]);
  expect(due(until)).toEqual([untried]);
  expect(due(until + pipeline.times.backoffFirstMs)).toEqual([last, untried]);
});
