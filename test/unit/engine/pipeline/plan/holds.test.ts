/** A batch that is refused holds up only files that wait for it. */
import { expect, test } from 'vitest';
import { ok, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { ignoreItems } from '../../../../../main/engine/decisions/problems.ts';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { plan } from '../../../../../main/engine/pipeline/plan/plan.ts';
import { settle } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import { readWaits } from '../../../../../main/engine/status/waits.ts';
import { unassign } from '../../../../../main/engine/store/queue/awaited.ts';
import { dueTransfers, heldBatches } from '../../../../../main/engine/store/queue/dueTransfers.ts';
import { forgetUnsent } from '../../../../../main/engine/store/queue/forgetting.ts';
import { batchByRow } from '../../../../../main/engine/store/tables/batches.ts';
import { itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import { requeueParked } from '../../../../../main/engine/store/tables/parked.ts';
import {
  beginSending,
  dropTransfer,
  markSent,
  markUnknown,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { confirmItems, move, moveItem } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, targetOf } from '../../../../helpers/testPipeline.ts';

/** One file of a batch was refused in a way that is about all of them, and waits to be sent again. */
function createScene() {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  // The service lists nothing: what comes back to the queue is not there.
  const client = { askFilesPage: () => Promise.resolve(ok(null)) };
  const pipeline = createTestPipeline(ledger, { client });
  const batch = ledger.batch({ mode: 'single' });
  const { id, itemIds } = ledger.transfer(batch, ['held.jpg']);
  const { clock } = pipeline.ports;
  beginSending(store, [id], clock.now());
  const transfer = ledger.stored(id);
  const error = sluiceError('service.refused', { status: 405 });
  settle({ pipeline, transfer, batch, items: itemsOfTransfer(store, id) }, { kind: 'hold', error });
  const target = targetOf(ledger, { mode: 'single' });
  const listed = { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) };
  const scope = { connectionId, bases: null, ending: new Set<number>(), order: 'oldest' } as const;
  return {
    ledger,
    store,
    id,
    itemId: itemIds[0] ?? 0,
    items: () => itemsOfTransfer(store, id),
    now: () => clock.now(),
    isHeld: () => heldBatches(store, connectionId, ['batch-1'], pipeline.time.now()) !== null,
    holdCode: () => batchByRow(store, batch.id)?.holdCode,
    waits: () => readWaits(store, clock.now(), true).filter(({ kind }) => kind === 'held'),
    due: () => dueTransfers(store, scope, new Set(), pipeline.time.now(), 9),
    /** Another file is found for the same batch. */
    planAnother: async () => {
      const found = ledger.item('new.jpg');
      await plan(pipeline, target, listed, false);
      return store.get('SELECT transfer_id FROM items WHERE id = ?', found)?.['transfer_id'];
    },
  };
}

type Scene = ReturnType<typeof createScene>;

const park = ({ store, id, itemId, now }: Scene): void => {
  move(store, 'transfers', id, 'parked', now());
  moveItem(store, itemId, 'parked', now(), { code: 'upload.unproven', detail: null });
};

/** Every way in which the last file that was held can leave. */
const LEAVES: Readonly<Record<string, (scene: Scene) => void>> = {
  'is confirmed by a list': ({ store, id, itemId, now }) => {
    markUnknown(store, id, { lastByteAt: now(), askAt: 0 }, now());
    markSent(store, [{ id, hashes: [], proof: null }], now(), now());
    confirmItems(store, [itemId], now());
    move(store, 'transfers', id, 'confirmed', now());
  },
  'is parked': park,
  'is left out by a person': (scene) => {
    const items = scene.items();
    park(scene);
    ignoreItems(scene.store, items, scene.now());
  },
  'is gone from the disk': ({ store, id, itemId, now }) => {
    dropTransfer(store, id, now());
    moveItem(store, itemId, 'skipped', now(), { code: 'item.gone', detail: null });
  },
  'is forgotten with its watch': ({ store, ledger, now }) => {
    forgetUnsent(store, ledger.destinationId, now());
  },
  'gets another name, maybe in another batch': ({ store, id, itemId, now }) => {
    dropTransfer(store, id, now());
    unassign(store, itemId);
  },
};

test.each(Object.keys(LEAVES))('a hold ends when its last file %s', async (way) => {
  const scene = createScene();
  expect(scene.isHeld()).toBe(true);
  expect(scene.waits()).toHaveLength(1);
  LEAVES[way]?.(scene);
  expect(scene.isHeld()).toBe(false);
  expect(scene.waits()).toEqual([]);
  // A file that nobody refused is sent at once, and nothing says that it waits.
  const another = await scene.planAnother();
  expect(scene.due().map(({ id }) => id)).toContain(another);
  expect(scene.holdCode()).toBeNull();
  expect(scene.waits()).toEqual([]);
});

test.each<readonly [string, (scene: Scene) => void]>([
  ['waits', () => undefined],
  [
    'is in doubt',
    ({ store, id, now }) => markUnknown(store, id, { lastByteAt: now(), askAt: 0 }, now()),
  ],
  [
    'is planned again',
    (scene) => {
      park(scene);
      requeueParked(scene.store, scene.itemId, scene.now());
    },
  ],
])('a hold goes on while its last file %s', async (_, happens) => {
  const scene = createScene();
  happens(scene);
  await scene.planAnother();
  expect(scene.due()).toEqual([]);
  expect(scene.holdCode()).toBe('service.refused');
  expect(scene.isHeld()).toBe(true);
  expect(scene.waits()).toHaveLength(1);
});
