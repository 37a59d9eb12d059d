/** How often a batch is asked about while its list shows one file after the other. */
import { expect, test } from 'vitest';
import { ok } from '../../../../../main/engine/core/errors.ts';
import { confirm } from '../../../../../main/engine/pipeline/confirm/confirm.ts';
import type { BatchPollState } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { tallyBatch } from '../../../../../main/engine/store/queue/confirmation.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const FILES = 200;
/** The list shows another file after each of these intervals. */
const EACH_MS = 100;

test('the longer a list takes, the less often it is read, also while it shows more each time', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ hasHostInId: true });
  const names = Array.from({ length: FILES }, (_, index) => `${index}.jpg`);
  const began = clock.monotonicMs();
  const shown = (): readonly string[] =>
    names.slice(0, Math.floor((clock.monotonicMs() - began) / EACH_MS));
  let lists = 0;
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(shown().length)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: () => {
        lists += 1;
        return Promise.resolve(ok({ items: shown().map(listedFile), nextPageToken: null }));
      },
    },
  });
  const { id } = ledger.transfer(batch, names);
  ledger.sent(id, clock.now(), 'checksum');
  const polls = new Map<number, BatchPollState>();
  for (let next = await confirm(pipeline, polls); next !== null;) {
    clock.advance(Math.max(1, Math.ceil(next - clock.monotonicMs())));
    next = await confirm(pipeline, polls);
  }
  expect(tallyBatch(store, batch.id).confirmed).toBe(FILES);
  // Ten times a second for as long as the list needs would be 200.
  expect(lists).toBeLessThan(FILES * 0.4);
  // At most a twentieth later than shown, and two pauses of a poll.
  expect(clock.monotonicMs() - began).toBeLessThan(FILES * EACH_MS * 1.05 + 2000);
});
