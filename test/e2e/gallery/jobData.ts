/** Made-up jobs with their stages and tasks for the gallery: queued, running with a silent task, failed, done. */
import type { Task } from '../../../preload/contract/serviceRecords.ts';
import type { JobDetail, JobRow, LogRow, StageView } from '../../../preload/contract/records.ts';
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

function failedTasks(): readonly Task[] {
  return Array.from({ length: 40 }, (_, index) => {
    const at = NOW - 26 * HOUR + 6 * MINUTE + index * 55_000;
    if (index % 4 === 1) {
      const message = `Cannot read 'DJI_${String(index * 13).padStart(4, '0')}.JPG': image file is truncated (12 bytes not processed)`;
      return task(index, { status: 'failed', eventAt: at, message });
    }
    if (index === 30) {
      const message = 'WorkflowError: block "ripeness" got no input named image';
      return task(index, { status: 'failed', eventAt: at, message });
    }
    return task(index, { eventAt: at });
  });
}

function stage(name: string, tasks: readonly Task[], change: Partial<StageView>): StageView {
  return {
    stageId: `st-${name}`,
    name,
    status: 'running',
    message: 'in work',
    tasksNumber: tasks.length,
    fraction: 1,
    startedAt: NOW - 47 * MINUTE,
    eventAt: NOW - 20_000,
    tasks,
    ...change,
  };
}

function stagesOf({ state, createdAt, updatedAt }: JobRow): readonly StageView[] {
  if (state === 'running') {
    return [stage('processing', runningTasks(), { tasksNumber: 35, fraction: 0.69 })];
  }
  if (state === 'failed') {
    const startedAt = createdAt + 5 * MINUTE;
    const failed = { status: 'failed', startedAt, eventAt: updatedAt } as const;
    return [stage('processing', failedTasks(), { ...failed, message: '11 of 40 tasks failed' })];
  }
  if (state !== 'succeeded' && state !== 'aborted') return [];
  const tasks = Array.from({ length: 500 }, (_, index) =>
    task(index, { eventAt: createdAt + 8 * MINUTE + ((index * 613) % 70) * MINUTE }),
  );
  const exportTasks = Array.from({ length: 6 }, (_, index) =>
    task(index, { eventAt: createdAt + (82 + index * 2) * MINUTE, message: 'packed 84 results' }),
  );
  const ended = { status: 'succeeded' } as const;
  return [
    stage('processing', tasks, {
      ...ended,
      tasksNumber: 620,
      startedAt: createdAt + 6 * MINUTE,
      eventAt: createdAt + 78 * MINUTE,
    }),
    stage('export', exportTasks, {
      ...ended,
      startedAt: createdAt + 79 * MINUTE,
      eventAt: updatedAt,
    }),
  ];
}

export function jobDetail(row: JobRow): JobDetail {
  return {
    job: row,
    lastMessage: row.state === 'running' ? 'processing: 24 of 35 chunks done' : null,
    stages: stagesOf(row),
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
    resultsBatch: row.state === 'succeeded' ? 'line-3-2026-11-16' : null,
    isAtService: true,
    error: null,
    canAbort: row.state === 'running',
    canRestart: row.state === 'failed' || row.state === 'aborted',
    blockedBy: row.state === 'parked' ? 'service.refused' : null,
  };
}

/** Logs of a job: null where the service keeps none. */
export function logsOf(row: JobRow): readonly LogRow[] | null {
  if (row.state === 'queued' || row.state === 'planned' || row.state === 'parked') return null;
  return Array.from({ length: 60 }, (_, index) => ({
    at: row.createdAt + 6 * MINUTE + index * 30_000,
    severity: index % 19 === 7 ? 'ERROR' : index % 9 === 2 ? 'WARNING' : 'INFO',
    stageId: 'st-processing',
    taskId: `task-${String(index % 24).padStart(3, '0')}`,
    text:
      index % 19 === 7
        ? `Cannot read 'DJI_${index}.JPG': image file is truncated (12 bytes not processed)`
        : `chunk ${index}: 500 images, 41.${index} images per second`,
  }));
}
