/** The page of one job: its stages and tasks agree with its state, and stay while they cannot be read. */
import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../../../../main/engine/core/errors.ts';
import type { JobStatus, Stage, Task } from '../../../../main/engine/core/model.ts';
import { jobDetail, knownJob } from '../../../../main/engine/queries/jobPages.ts';
import { isJobId } from '../../../../main/engine/core/ids.ts';
import { addJob, moveJob } from '../../../../main/engine/store/tables/jobs.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const STAGE: Stage = {
  stageId: 's1',
  name: 'processing',
  tasksNumber: 2,
  outputBatches: [],
  startedAt: 1,
  status: 'running',
  message: '',
  eventAt: 1,
};
const RUNNING: Task = {
  taskId: 't1',
  status: 'running',
  message: '',
  progressFraction: 0.5,
  eventAt: 1,
};
const DONE: Task = { ...RUNNING, taskId: 't2', status: 'succeeded' };

/** A job whose state and whose list of stages a test can change. */
function scene() {
  let state: JobStatus['state'] = 'running';
  let listed: Result<readonly Stage[]> = ok([STAGE]);
  const pipeline = createTestPipeline(createTestLedger(), {
    client: {
      jobStatus: (jobId) => {
        const none = { currentStage: null, plannedStages: [], resultsBatches: [], definition: {} };
        const times = { createdAt: 1, updatedAt: 1 };
        return Promise.resolve(
          ok({ jobId, name: jobId, state, lastMessage: null, ...times, ...none }),
        );
      },
      jobStages: () => Promise.resolve(listed),
      stageTasks: () => Promise.resolve(ok([RUNNING, DONE])),
    },
  });
  return {
    read: (jobId = 'j1') => jobDetail(pipeline, jobId),
    becomes: (next: JobStatus['state']) => (state = next),
    lists: (next: Result<readonly Stage[]>) => (listed = next),
  };
}

test('a job that succeeded shows no stage or task that still runs', async () => {
  const { read, becomes } = scene();
  expect(await read()).toMatchObject({
    value: { stages: [{ status: 'running', fraction: 0.75, tasks: [RUNNING, DONE] }] },
  });
  becomes('succeeded');
  expect(await read()).toMatchObject({
    value: { stages: [{ status: 'succeeded', fraction: 1, tasks: [DONE] }], error: null },
  });
});

test('a job keeps its stages while they cannot be read, and says why they are old', async () => {
  const { read, lists } = scene();
  await read();
  lists(fail('service.busy'));
  expect(await read()).toMatchObject({
    value: { stages: [{ stageId: 's1' }], error: { code: 'service.busy' } },
  });
  expect(await read('j2')).toMatchObject({ value: { stages: [] } });
});

test('what the ledger knows of a job needs no service, and claims nothing about it', () => {
  const { store, connectionId } = createTestLedger();
  const jobId = 'night-4';
  if (!isJobId(jobId)) throw new Error('a legal id is expected');
  const body = { jobInput: { batchId: 'cups' } };
  const own = { connectionId, batchId: 'cups', jobId, name: 'Night', body, downloadTo: null };
  addJob(store, own, 5);
  expect(knownJob(store, connectionId, jobId)).toMatchObject({
    job: { jobId, name: 'Night', batchId: 'cups', state: 'planned', createdAt: 5 },
    stages: [],
    isAtService: true,
    error: null,
    canAbort: false,
  });
  expect(knownJob(store, connectionId, 'another')).toBeNull();
});

test('a job that the service never accepted can be given up, and then says that it never ran', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const client = { jobStatus: () => Promise.resolve(ok(null)) };
  const pipeline = createTestPipeline(ledger, { client });
  const jobId = 'night-4';
  if (!isJobId(jobId)) throw new Error('a legal id is expected');
  const own = { connectionId, batchId: 'cups', jobId, name: null, body: {}, downloadTo: null };
  const { id } = addJob(store, own, 5);
  const read = () => jobDetail(pipeline, jobId);
  expect(await read()).toMatchObject({ value: { canAbort: true, blockedBy: null } });
  moveJob(store, id, 'starting', 6, null);
  // The service may have it already.
  moveJob(store, id, 'parked', 7, 'service.noAnswer');
  expect(await read()).toMatchObject({ value: { canAbort: false } });
  moveJob(store, id, 'planned', 8, null);
  moveJob(store, id, 'aborted', 9, 'job.aborted');
  expect(await read()).toMatchObject({
    value: { job: { state: 'aborted' }, canAbort: false, blockedBy: 'job.aborted' },
  });
});
