/** How often the list of a batch is read while more waits to be sent. */
import { expect, test } from 'vitest';
import { ok } from '../../../../../main/engine/core/errors.ts';
import { confirm } from '../../../../../main/engine/pipeline/confirm/confirm.ts';
import type { BatchPollState } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { tallyBatch } from '../../../../../main/engine/store/queue/confirmation.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import { type Batch, sealBatch } from '../../../../../main/engine/store/tables/batches.ts';
import type { Store } from '../../../../../main/engine/store/store.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const LIST_MS = 1_000;

const NOTHING_MORE: readonly (readonly [
  string,
  (store: Store, batch: Batch, itemId: number) => void,
])[] = [
  ['nothing waits any more', (store, _batch, itemId) => moveItem(store, itemId, 'skipped', 9)],
  ['what waits cannot go to this batch', (store, { id }) => sealBatch(store, id, 9)],
];

test.each(NOTHING_MORE)('a long list is not read again at once until %s', async (_, end) => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ hasHostInId: true });
  const listed: string[] = [];
  let lists = 0;
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(listed.length)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: () => {
        lists += 1;
        clock.advance(LIST_MS);
        return Promise.resolve(ok({ items: listed.map(listedFile), nextPageToken: null }));
      },
    },
  });
  const polls = new Map<number, BatchPollState>();
  const arrive = (name: string): void => {
    ledger.sent(ledger.transfer(batch, [name]).id, clock.now(), 'checksum');
    listed.push(name);
  };
  const poll = async (): Promise<void> => {
    clock.advance(6_000);
    await confirm(pipeline, polls);
  };
  const waiting = ledger.item('later.jpg');
  arrive('a.jpg');
  await poll();
  expect(lists).toBe(1);
  arrive('b.jpg');
  await poll();
  await poll();
  expect(lists).toBe(1);
  // Twenty times as long as the list took.
  clock.advance(LIST_MS * 20);
  await poll();
  expect(lists).toBe(2);
  end(store, batch, waiting);
  arrive('c.jpg');
  await poll();
  expect(lists).toBe(3);
  expect(tallyBatch(store, batch.id).confirmed).toBe(3);
});
