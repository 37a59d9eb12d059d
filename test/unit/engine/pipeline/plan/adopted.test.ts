/** A batch that a watch fills, but did not open: it closes by the rule of that watch all the same. */
import { expect, test } from 'vitest';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { openBatch } from '../../../../../main/engine/pipeline/plan/openBatch.ts';
import { openBatchesOf } from '../../../../../main/engine/store/queue/closing.ts';
import { addWatch, moveWatch } from '../../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, targetOf } from '../../../../helpers/testPipeline.ts';

function createScene() {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const pipeline = createTestPipeline(ledger);
  const batch = ledger.batch({ baseId: 'cam', batchId: 'cam' });
  const listed = { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) };
  const wanted = { baseId: 'cam', kind: 'image', mode: 'bulk', modeDemanded: false } as const;
  const add = (directory: string, oneOff = false): number =>
    addWatch(store, connectionId, standardRule(directory, 'cam'), directory, oneOff, 1).id;
  return {
    store,
    add,
    fill: (watchId: number | null) =>
      openBatch(pipeline, targetOf(ledger, { baseId: 'cam', watchId }), wanted, listed),
    /** Which of these watches closes the batch. */
    closing: (...ids: readonly number[]) => ids.filter((id) => openBatchesOf(store, id).length > 0),
  };
}

test('one that a command opened is closed by the first watch that fills it', async () => {
  const { add, fill, closing } = createScene();
  const [first, second] = [add('/first'), add('/second')];
  expect(await fill(null)).toMatchObject({ ok: true });
  expect(closing(first, second)).toEqual([]);
  await fill(first);
  await fill(second);
  expect(closing(first, second)).toEqual([first]);
});

test('one of a watch that is removed is closed by the next that fills it, but not one of a paused watch', async () => {
  const { store, add, fill, closing } = createScene();
  const [first, second] = [add('/first'), add('/second')];
  await fill(first);
  store.transaction(() => moveWatch(store, first, 'paused', 2));
  await fill(second);
  expect(closing(first, second)).toEqual([first]);
  store.transaction(() => moveWatch(store, first, 'removed', 3));
  await fill(second);
  expect(closing(first, second)).toEqual([second]);
});

test('one of a watch whose command has ended is closed by the next that fills it', async () => {
  const { add, fill, closing } = createScene();
  const [first, second] = [add('/first', true), add('/second')];
  await fill(first);
  await fill(second);
  expect(closing(first, second)).toEqual([second]);
});
