/** When a batch that has expired is noticed while files are being sent to it. */
import { expect, test } from 'vitest';
import { ok } from '../../../../../main/engine/core/errors.ts';
import type { Pipeline } from '../../../../../main/engine/pipeline/context.ts';
import { expireBatches } from '../../../../../main/engine/pipeline/plan/expiry.ts';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { plan } from '../../../../../main/engine/pipeline/plan/plan.ts';
import { dueTransfers } from '../../../../../main/engine/store/queue/dueTransfers.ts';
import {
  batchByRow,
  expireBatch,
  setExpiry,
} from '../../../../../main/engine/store/tables/batches.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import {
  beginSending,
  requeueTransfer,
  transferById,
} from '../../../../../main/engine/store/tables/transfers.ts';
import type { RemoteBatch } from '../../../../../main/engine/core/model.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, targetOf } from '../../../../helpers/testPipeline.ts';

/** Two files are planned for a batch whose end has come; the service no longer knows it, or states its end. */
function createScene(stated: RemoteBatch | null) {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  const [first, second] = ['a.jpg', 'b.jpg'].map((name) => ledger.transfer(batch, [name]).id);
  let onRecord = (): void => undefined;
  const waiting = ledger.item('c.jpg');
  const soon: typeof store.soon = (work) => {
    onRecord();
    return store.soon(work);
  };
  const pipeline: Pipeline = createTestPipeline(
    { ...ledger, store: { ...store, soon } },
    {
      client: {
        batchMetadata: () => Promise.resolve(ok(stated)),
        askCount: () => Promise.resolve(ok(null)),
        askShards: () => Promise.resolve(ok(null)),
        askFilesPage: () => Promise.resolve(ok(null)),
      },
    },
  );
  const { clock } = pipeline.ports;
  pipeline.time.note(clock.now(), clock.monotonicMs());
  const end = (at: number): void => setExpiry(store, batch.id, pipeline.time.service() + at);
  end(-1);
  const { ending } = pipeline;
  const scope = { connectionId, bases: null, ending, order: 'oldest' } as const;
  return {
    pipeline,
    begin: () => {
      beginSending(store, [first ?? 0], clock.now());
    },
    /** The service answers that it took nothing. */
    refused: () => {
      const transfer = transferById(store, first ?? 0);
      if (transfer !== null) requeueTransfer(store, transfer, true, clock.now());
    },
    whenRecording: (work: () => void) => {
      onRecord = () => {
        onRecord = () => undefined;
        work();
      };
    },
    end,
    expire: () => {
      expireBatch(store, batch.id, clock.now());
    },
    plan: () =>
      plan(
        pipeline,
        targetOf(ledger, { mode: 'single' }),
        { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) },
        false,
      ),
    plannedFor: () => batchByRow(store, itemById(store, waiting)?.batchRow ?? 0)?.batchId,
    state: () => batchByRow(store, batch.id)?.state,
    due: () => dueTransfers(store, scope, new Set(), pipeline.time.now(), 9).map(({ id }) => id),
    open: () => [first, second].map((id) => transferById(store, id ?? 0)?.state),
  };
}

const STATED: RemoteBatch = {
  batchId: 'batch-1',
  displayName: '',
  type: 'simple-batch',
  contentType: 'images',
  createdAt: 0,
  expiresAt: 0,
};

test('a body that was sent during the check: nothing else starts, and its end decides', async () => {
  const scene = createScene(null);
  scene.begin();
  await expireBatches(scene.pipeline);
  expect(scene.state()).toBe('open');
  expect(scene.due()).toEqual([]);
  // While it is being sent, there is nothing new to learn.
  await expireBatches(scene.pipeline);
  expect(scene.due()).toEqual([]);
  scene.refused();
  await expireBatches(scene.pipeline);
  expect(scene.state()).toBe('expired');
  expect(scene.open()).toEqual(['dropped', 'dropped']);
  expect(scene.pipeline.ending.size).toBe(0);
});

test('sending goes on when the service states a later end meanwhile', async () => {
  const scene = createScene(null);
  scene.begin();
  await expireBatches(scene.pipeline);
  expect(scene.due()).toEqual([]);
  scene.end(60_000);
  await expireBatches(scene.pipeline);
  expect(scene.due()).toHaveLength(1);
});

test.each([
  ['no longer knows the batch', null],
  ['states its end', STATED],
])(
  'a body that starts before the end is recorded does not stay behind: the service %s',
  async (_, stated) => {
    const scene = createScene(stated);
    scene.whenRecording(scene.begin);
    await expireBatches(scene.pipeline);
    expect(scene.due()).toEqual([]);
    scene.refused();
    await expireBatches(scene.pipeline);
    expect(scene.state()).toBe('expired');
    expect(scene.open()).toEqual(['dropped', 'dropped']);
  },
);

test('a file that is planned while its batch is found to have ended goes to the next one', async () => {
  const scene = createScene(null);
  scene.end(1000);
  scene.whenRecording(scene.expire);
  expect(await scene.plan()).toBe(null);
  expect(scene.state()).toBe('expired');
  expect(scene.plannedFor()).toBe('batch-1-2');
});
