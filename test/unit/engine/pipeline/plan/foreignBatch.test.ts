/** What is found out about a batch that others created on a service that does not describe its batches. */
import { expect, test } from 'vitest';
import { ok } from '../../../../../main/engine/core/errors.ts';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { openBatch } from '../../../../../main/engine/pipeline/plan/openBatch.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile, targetOf } from '../../../../helpers/testPipeline.ts';

test.each([
  ['that has files and never had an archive takes single files', [], null, 'single'],
  ['with files of archives that are not listed takes what is wanted', [], 'shard-1', 'bulk'],
  ['of which the service does not list archives takes what is wanted', null, null, 'bulk'],
] as const)('a batch %s', async (_, shards, shardId, mode) => {
  const ledger = createTestLedger();
  const items = [{ ...listedFile('theirs.jpg'), shardId }];
  const pipeline = createTestPipeline(ledger, {
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      listBatches: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(1)),
      askShards: () => Promise.resolve(ok(shards)),
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
    },
  });
  const wanted = { baseId: 'cups', kind: 'image', mode: 'bulk', modeDemanded: false } as const;
  const batch = await openBatch(pipeline, targetOf(ledger), wanted, new ListedBatches());
  expect(batch).toMatchObject({ ok: true, value: { kind: 'image', mode } });
});
