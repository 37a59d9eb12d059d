/** Records of the contract with standard values, for tests about what the window says of them. */
import { NO_COUNTS } from '../../../main/engine/status/counts.ts';
import type { BatchDetail, BatchRow, StageView } from '../../../preload/contract/records.ts';
import type { Task } from '../../../preload/contract/serviceRecords.ts';
import type { WaitView } from '../../../preload/contract/waits.ts';

/** The time at which stages start, epoch ms. */
export const START = 1_800_000_000_000;
export const MINUTE = 60_000;

export function batchRow(change: Partial<BatchRow> = {}): BatchRow {
  return {
    batchId: 'cam-1',
    displayName: null,
    kind: 'image',
    mode: 'bulk',
    state: 'open',
    counts: NO_COUNTS,
    unplaced: 0,
    createdAt: 1,
    expiresAt: null,
    jobId: null,
    jobState: null,
    ...change,
  };
}

export function batchDetail(batch: BatchRow, change: Partial<BatchDetail> = {}): BatchDetail {
  return {
    batch,
    jobs: [],
    leftOut: 0,
    waits: [],
    countAtService: null,
    shards: [],
    parts: [],
    error: null,
    ...change,
  };
}

export function task(taskId: string, change: Partial<Task> = {}): Task {
  return {
    taskId,
    status: 'running',
    message: 'in work',
    progressFraction: 0.5,
    eventAt: START + MINUTE,
    ...change,
  };
}

export function stage(tasks: readonly Task[], change: Partial<StageView> = {}): StageView {
  return {
    stageId: 'st-1',
    name: 'processing',
    status: 'running',
    message: 'in work',
    tasksNumber: tasks.length,
    fraction: 0,
    startedAt: START,
    eventAt: START + MINUTE,
    tasks,
    ...change,
  };
}

export function wait(change: Partial<WaitView> = {}): WaitView {
  return {
    workspace: 'demo',
    kind: 'connection',
    name: null,
    code: null,
    detail: null,
    count: 0,
    bytes: 0,
    since: null,
    nextAt: null,
    attention: false,
    ...change,
  };
}
