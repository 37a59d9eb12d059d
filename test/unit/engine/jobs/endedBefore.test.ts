import { expect, test } from 'vitest';
import { fail } from '../../../../main/engine/core/errors.ts';
import { legalJobId } from '../../../../main/engine/files/names/safeNames.ts';
import { endedBefore } from '../../../../main/engine/jobs/endedBefore.ts';
import { addJob, moveJob } from '../../../../main/engine/store/tables/jobs.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';
import { createVirtualClock } from '../pipeline/virtualClock.ts';

test('the service is not asked forever whether it restarted a job that failed', async () => {
  const { store, connectionId } = createTestLedger();
  const request = { batchId: 'b', body: { workflow: 'w' } };
  store.transaction(() => {
    const job = { ...request, connectionId, jobId: legalJobId('j'), name: null, downloadTo: null };
    const { id } = addJob(store, job, 1);
    for (const state of ['starting', 'running', 'failed'] as const) moveJob(store, id, state, 1);
  });
  const clock = createVirtualClock();
  const client = { jobStatus: () => Promise.resolve(fail('service.busy')) };
  const pipeline = createTestPipeline({ store, connectionId }, { clock, client });
  let code: string | null = null;
  const ended = endedBefore(pipeline, request, () => undefined).then((end) => {
    if (!end.ok) ({ code } = end.error);
  });
  await clock.advance(5 * 60_000);
  expect(code).toBeNull();
  await clock.advance(6 * 60_000);
  expect(code).toBe('service.busy');
  await ended;
});
