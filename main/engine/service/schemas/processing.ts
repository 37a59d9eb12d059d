/** The service's answers about jobs, read leniently and mapped to our own types. */
import { z } from 'zod';
import type { JobLogLine, JobState, JobStatus, Stage, Task } from '../../core/model.ts';
import { redact } from '../../core/redact.ts';
import {
  compactJson,
  count,
  eventInstant,
  id,
  maybeText,
  notificationText,
  pageToken,
  statusOf,
  textList,
} from './parts.ts';
import type { Page } from '../serviceClient.ts';

/** Deeper parts of a job definition are left out. Our choice: no real one comes near. */
const DEFINITION_DEPTH = 32;

/** The path of a webhook is a secret; only its host is shown. */
function hiddenWebhook(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/[hidden]` : '[hidden]';
}

function safeToShow(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    return /notification.*url/i.test(name) ? hiddenWebhook(value) : redact(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((entry) => safeToShow(name, entry, depth - 1));
  return safeRecord(value, depth - 1);
}

/** A copy of a record without secrets: webhook paths, keys, signed addresses. */
function safeRecord(record: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, safeToShow(name, value, depth)]),
  );
}

const flag = z
  .unknown()
  .transform((value) => value !== null && value !== undefined && value !== false && value !== '');

/** The service has no field for a job's state: it follows from three others (service-api §6). */
function jobState(isTerminal: boolean, error: boolean, currentStage: string | null): JobState {
  if (isTerminal) return error ? 'failed' : 'succeeded';
  return currentStage === null ? 'queued' : 'running';
}

function resultsIn(notification: unknown): readonly string[] {
  if (typeof notification !== 'object' || notification === null) return [];
  const found = Object.entries(notification).find(([name]) => name === 'resultsBatches')?.[1];
  const list = textList.safeParse(found);
  return list.success ? list.data : [];
}

const job = z
  .object({
    jobId: id,
    name: z.string().nullish(),
    jobDefinition: z.unknown().optional(),
    currentStage: maybeText,
    plannedStages: textList,
    error: flag.optional(),
    isTerminal: flag.optional(),
    lastNotification: z.unknown().optional(),
    createdAt: eventInstant.optional(),
    lastUpdate: eventInstant.optional(),
  })
  .transform((wire): JobStatus => {
    const definition = wire.jobDefinition;
    const known = typeof definition === 'object' && definition !== null;
    return {
      jobId: wire.jobId,
      name: wire.name ?? wire.jobId,
      state: jobState(wire.isTerminal ?? false, wire.error ?? false, wire.currentStage),
      currentStage: wire.currentStage,
      plannedStages: wire.plannedStages,
      lastMessage: notificationText(wire.lastNotification),
      resultsBatches: resultsIn(wire.lastNotification),
      createdAt: wire.createdAt ?? 0,
      updatedAt: wire.lastUpdate ?? 0,
      definition: known ? safeRecord(definition, DEFINITION_DEPTH) : {},
    };
  });

export const jobAnswer = z.object({ job }).transform((answer) => answer.job);

/** One page of the workspace's jobs. */
export const jobsAnswer = z
  .object({ jobs: z.array(job), nextPageToken: pageToken })
  .transform((answer): Page<JobStatus> => ({
    items: answer.jobs,
    nextPageToken: answer.nextPageToken,
  }));

const stage = z
  .object({
    processingStageId: id,
    processingStageName: z.string().nullish(),
    tasksNumber: count,
    outputBatches: textList,
    startTimestamp: eventInstant.optional(),
    notification: z.unknown().optional(),
    statusType: z.string(),
    lastEventTimestamp: eventInstant.optional(),
  })
  .transform((wire): Stage => ({
    stageId: wire.processingStageId,
    name: wire.processingStageName ?? wire.processingStageId,
    tasksNumber: Math.max(1, wire.tasksNumber),
    outputBatches: wire.outputBatches,
    startedAt: wire.startTimestamp ?? 0,
    status: statusOf(wire.statusType, 'succeeded'),
    message: notificationText(wire.notification) ?? '',
    eventAt: wire.lastEventTimestamp ?? 0,
  }));

/** The stages of a job, oldest first; the service promises no order. */
export const stagesAnswer = z
  .object({ stages: z.array(stage) })
  .transform((answer) => answer.stages.toSorted((a, b) => a.startedAt - b.startedAt));

const task = z
  .object({
    taskId: id,
    notification: z.unknown().optional(),
    statusType: z.string(),
    progress: z.number().nullish(),
    eventTimestamp: eventInstant.optional(),
  })
  .transform((wire): Task => ({
    taskId: wire.taskId,
    status: statusOf(wire.statusType, 'succeeded'),
    message: notificationText(wire.notification) ?? '',
    progressFraction:
      wire.progress === null || wire.progress === undefined
        ? null
        : Math.min(1, Math.max(0, wire.progress)),
    eventAt: wire.eventTimestamp ?? 0,
  }));

/** One page of a stage's tasks. */
export const tasksAnswer = z
  .object({ tasks: z.array(task), nextPageToken: pageToken })
  .transform((answer): Page<Task> => ({
    items: answer.tasks,
    nextPageToken: answer.nextPageToken,
  }));

const logLine = z
  .object({
    createdAt: eventInstant.optional(),
    processingStageId: maybeText,
    taskId: maybeText,
    severity: z.string().nullish(),
    reportingModule: z.string().nullish(),
    logType: z.string().nullish(),
    payload: z.unknown().optional(),
  })
  .transform((wire): JobLogLine => ({
    at: wire.createdAt ?? 0,
    severity: wire.severity ?? 'info',
    stageId: wire.processingStageId,
    taskId: wire.taskId,
    module: wire.reportingModule ?? '',
    text: logText(wire.payload) ?? wire.logType ?? '',
  }));

function logText(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null) return notificationText(payload);
  const message = Object.entries(payload).find(([name]) => name === 'message')?.[1];
  return typeof message === 'string' ? redact(message) : compactJson(payload);
}

/** One page of a job's log. */
export const logsAnswer = z
  .object({ logs: z.array(logLine), nextPageToken: pageToken })
  .transform((answer): Page<JobLogLine> => ({
    items: answer.logs,
    nextPageToken: answer.nextPageToken,
  }));
