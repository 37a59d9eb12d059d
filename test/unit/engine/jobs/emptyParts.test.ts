import { expect, test } from 'vitest';
import { ok } from '../../../../main/engine/core/errors.ts';
import { legalJobId } from '../../../../main/engine/files/names/safeNames.ts';
import { resultsBatchOf } from '../../../../main/engine/jobs/downloads.ts';
import { knownEmptyParts, noteEmptyParts } from '../../../../main/engine/jobs/emptyParts.ts';
import { addJob, jobByServiceId } from '../../../../main/engine/store/tables/jobs.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const ORDER = { batchId: 'j-export', part: null };

test('parts that were empty before a job filled their batch are waited for again, once', async () => {
  const { store, connectionId } = createTestLedger();
  const part = { name: 'p', type: 'simple-batch', contentType: 'metadata', description: null };
  const client = {
    jobStatus: () => Promise.resolve(ok(null)),
    batchParts: () => Promise.resolve(ok([part])),
  };
  const pipeline = createTestPipeline({ store, connectionId }, { client });
  const known = (): readonly string[] => [...knownEmptyParts(pipeline, ORDER).keys()];
  const empty = new Map([['j-export\np', 0]]);
  const job = { batchId: 'b', body: {}, jobId: legalJobId('j'), name: null, downloadTo: null };
  store.transaction(() => addJob(store, { ...job, connectionId }, 1));
  noteEmptyParts(pipeline, 'j-export', empty);
  expect(known()).toEqual([...empty.keys()]);
  expect(await resultsBatchOf(pipeline, 'j')).toEqual(ok('j-export'));
  expect(jobByServiceId(store, connectionId, 'j')?.resultsBatch).toBe('j-export');
  expect(known()).toEqual([]);
  noteEmptyParts(pipeline, 'j-export', empty);
  expect(await resultsBatchOf(pipeline, 'j')).toEqual(ok('j-export'));
  expect(known()).toEqual([...empty.keys()]);
  noteEmptyParts(pipeline, 'j-export', new Map());
  expect(known()).toEqual([]);
});
