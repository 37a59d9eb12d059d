/** Made-up jobs for the gallery, in every state; one runs, and a task of it is silent. */
import type { Task } from '../../../preload/contract/serviceRecords.ts';
import type { JobDetail, JobRow, StageView } from '../../../preload/contract/records.ts';
import { HOUR, MINUTE, NOW } from './scenario.ts';

function job(jobId: string, change: Partial<JobRow>): JobRow {
  return {
    jobId,
    name: jobId,
    batchId: 'line-3-2026-11-20',
    state: 'running',
    currentStage: 'processing',
    createdAt: NOW - 52 * MINUTE,
    updatedAt: NOW - 20_000,
    ...change,
  };
}

/** Jobs in every state. */
export const JOBS: readonly JobRow[] = [
  job('sluice-7f3k2m9qx0ab', { name: 'Count cups, line 3 yesterday' }),
  job('sluice-0p4vv81mzz2c', {
    name: 'Gate videos',
    batchId: 'gate-north-2026-11-20',
    state: 'queued',
    currentStage: null,
    createdAt: NOW - 4 * MINUTE,
  }),
  job('nightly-16', {
    name: 'Nightly, line 3',
    batchId: 'line-3-2026-11-16',
    state: 'succeeded',
    currentStage: 'export',
    createdAt: NOW - 3 * 24 * HOUR,
    updatedAt: NOW - 3 * 24 * HOUR + 95 * MINUTE,
  }),
  job('orchard-1', {
    name: 'Orchard, ripeness',
    batchId: 'orchard-drone-2026-11-14',
    state: 'failed',
    createdAt: NOW - 26 * HOUR,
    updatedAt: NOW - 25 * HOUR,
  }),
  job('line-3-today', {
    name: 'Line 3, today',
    batchId: 'line-3-2026-11-21',
    state: 'planned',
    currentStage: null,
    createdAt: NOW - 6 * HOUR,
  }),
  job('try-2', {
    name: 'try-2',
    state: 'aborted',
    createdAt: NOW - 50 * HOUR,
    updatedAt: NOW - 49 * HOUR,
  }),
  job('quota-1', {
    name: 'Weekly recount',
    state: 'parked',
    currentStage: null,
    createdAt: NOW - 9 * HOUR,
    updatedAt: NOW - 9 * HOUR,
  }),
];

function task(index: number, change: Partial<Task>): Task {
  return {
    taskId: `task-${String(index).padStart(3, '0')}`,
    status: 'succeeded',
    message: 'processed 500 of 500 images',
    progressFraction: 1,
    eventAt: NOW - 45 * MINUTE + index * 65_000,
    ...change,
  };
}

function runningTasks(): readonly Task[] {
  const done = Array.from({ length: 22 }, (_, index) => task(index, {}));
  return [
    ...done,
    task(22, {
      status: 'running',
      progressFraction: 0.31,
      eventAt: NOW - 14 * MINUTE,
      message: 'processed 155 of 500 images; loading weights for block detector_2 took 41.2 s',
    }),
    ...Array.from({ length: 5 }, (_, index) =>
      task(23 + index, {
        status: 'running',
        progressFraction: 0.2 + index * 0.15,
        eventAt: NOW - (index + 1) * 20_000,
        message: `processed ${100 + index * 75} of 500 images`,
      }),
    ),
    task(28, { status: 'running', progressFraction: null, message: 'registered' }),
  ];
}

const PROCESSING: StageView = {
  stageId: 'st-processing',
  name: 'processing',
  status: 'running',
  message: 'in work',
  tasksNumber: 35,
  fraction: 0.69,
  startedAt: NOW - 47 * MINUTE,
  eventAt: NOW - 20_000,
  tasks: runningTasks(),
};

const FAILED: StageView = {
  ...PROCESSING,
  status: 'failed',
  message: 'too many tasks failed',
  tasksNumber: 12,
  tasks: Array.from({ length: 12 }, (_, index) =>
    task(index, {
      status: 'failed',
      message:
        index % 2 === 0
          ? 'model_server_unavailable_after_retries_while_loading_weights_for_block_detector_2_of_workflow_count-cups'
          : 'out of memory',
    }),
  ),
};

/** The details of a job: failed, or as if it were running. */
export function jobDetail(row: JobRow): JobDetail {
  const isFailed = row.state === 'failed';
  return {
    job: row,
    lastMessage: isFailed ? 'too many tasks failed' : 'processing: 24 of 35 chunks done',
    stages: [isFailed ? FAILED : PROCESSING],
    definition: JSON.stringify({
      type: 'simple-image-processing-v1',
      jobInput: { type: 'staging-batch-input-v1', batchId: row.batchId },
      computeConfiguration: { machineType: 'gpu', workersPerMachine: 4 },
      processingTimeoutSeconds: 7200,
      maxImageFailureRate: 0.05,
      processingSpecification: {
        workflowId: 'count-cups',
        imageInputName: 'image',
        aggregationFormat: 'csv',
        workflowParameters: { threshold: 0.4, classes: ['cup', 'lid'] },
      },
    }),
    resultsBatch: null,
    isAtService: true,
    error: null,
    canAbort: !isFailed,
    canRestart: isFailed,
    blockedBy: null,
  };
}
