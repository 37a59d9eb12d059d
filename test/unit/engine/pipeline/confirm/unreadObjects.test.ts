/** What is shown while the service lists files whose objects cannot be read to compare them. */
import { expect, test } from 'vitest';
import { type ErrorCode, fail, ok } from '../../../../../main/engine/core/errors.ts';
import { confirm } from '../../../../../main/engine/pipeline/confirm/confirm.ts';
import type { BatchPollState } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { openWaits } from '../../../../../main/engine/status/waits.ts';
import { beginSending, markSent } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test.each([
  ['network.proxy', 'batch'],
  // It may never be read: the name decides soon.
  ['upload.urlExpired', 'unlisted'],
] as const)('%s while comparing is shown as a wait of kind %s', async (code: ErrorCode, kind) => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'single', kind: 'image' });
  const { id } = ledger.transfer(batch, ['a.jpg']);
  const item = { fileName: 'a.jpg', url: 'http://127.0.0.1:1/a', partName: null, shardId: null };
  const items = [{ ...item, contentType: 'image/jpeg' }];
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(1)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: () => Promise.resolve(fail(code)),
      getSigned: () => Promise.resolve(fail(code)),
    },
  });
  beginSending(store, [id], clock.now());
  markSent(store, [{ id, hashes: [], proof: 'checksum' }], pipeline.time.now(), clock.now());
  const polls = new Map<number, BatchPollState>();
  const poll = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    await confirm(pipeline, polls);
    return openWaits(store, batch.connectionId).map((wait) => wait.kind);
  };
  expect(await poll(6_000)).toEqual([kind]);
  // Alone in its batch, a computer trusts the name in the end, and nothing waits.
  let waits: readonly string[] = [kind];
  for (let polled = 0; polled < 10 && waits.length > 0; polled += 1) waits = await poll(60_000);
  expect(waits).toEqual([]);
});
