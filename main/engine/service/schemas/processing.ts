/** The service's answers about jobs, read leniently and mapped to our own types. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { JobLogLine, JobState, JobStatus, Stage, Task } from '../../core/model.ts';
import { redact } from '../../core/redact.ts';
import {
  compactJson,
  count,
  eventInstant,
  fieldOf,
  id,
  inField,
  listOf,
  maybeNumber,
  maybeText,
  notificationText,
  pageIn,
  readableOf,
  shownText,
  statusOf,
  textList,
} from './parts.ts';

/** Deeper parts of a job definition are left out. Our choice: no real definition comes near this depth. */
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
    Object.entries(record).map(([name, value]) => [redact(name), safeToShow(name, value, depth)]),
  );
}

/** True for any value that means yes, such as an error text; some services write no as a number or as a word. */
function isYes(value: unknown): boolean {
  return Boolean(value) && !(typeof value === 'string' && /^(0|false|no|none|null)$/i.test(value));
}

interface StatedState {
  readonly isTerminal?: unknown;
  readonly error?: unknown;
  readonly currentStage: string | null;
  readonly status: string | null;
}

/** The live service does not name a job's state: it follows from three fields (service-api §6). Other services may name it. */
function jobState({ isTerminal, error, currentStage, status }: StatedState): JobState {
  const word = statusOf((isTerminal === undefined ? status : null) ?? '');
  if (isYes(isTerminal) || word === 'succeeded' || word === 'failed')
    return isYes(error) || word === 'failed' ? 'failed' : 'succeeded';
  return currentStage === null && !/running|process|progress/i.test(status ?? '')
    ? 'queued'
    : 'running';
}

/** A status that says neither that a job runs nor how it ended: it is only displayed. The "ok" of an answer is not about the job. */
function unknownWord({ isTerminal, status }: StatedState): string | null {
  const isWord = isTerminal === undefined && status?.toLowerCase() !== 'ok';
  return isWord && statusOf(status ?? '') === 'unknown' ? status : null;
}

function resultsIn(notification: unknown): readonly string[] {
  return textList().catch([]).parse(fieldOf(notification, 'resultsBatches'));
}

const job = once(() =>
  z
    .object({
      jobId: id(),
      name: shownText(),
      jobDefinition: z.unknown().optional(),
      currentStage: maybeText(),
      plannedStages: textList().catch([]),
      error: z.unknown().optional(),
      isTerminal: z.unknown().optional(),
      status: shownText(),
      lastNotification: z.unknown().optional(),
      createdAt: eventInstant(),
      lastUpdate: eventInstant(),
    })
    .transform((wire): JobStatus => {
      const definition = wire.jobDefinition;
      const known = typeof definition === 'object' && definition !== null;
      return {
        jobId: wire.jobId,
        name: wire.name ?? wire.jobId,
        state: jobState(wire),
        currentStage: wire.currentStage ?? unknownWord(wire),
        plannedStages: wire.plannedStages,
        lastMessage: notificationText(wire.lastNotification),
        resultsBatches: resultsIn(wire.lastNotification),
        createdAt: wire.createdAt,
        updatedAt: wire.lastUpdate,
        definition: known ? safeRecord(definition, DEFINITION_DEPTH) : {},
      };
    }),
);

export const jobAnswer = once(() => inField(job(), 'job'));

export const jobsAnswer = once(() => pageIn(listOf(job()), 'jobs'));

/** The status of a stage or task. A missing status is no sign that it has ended. */
const partStatus = once(() =>
  z
    .unknown()
    .optional()
    .transform((word) => statusOf(typeof word === 'string' ? word : 'info')),
);

const stage = once(() =>
  z
    .object({
      processingStageId: id(),
      processingStageName: shownText(),
      tasksNumber: count(),
      outputBatches: textList().catch([]),
      startTimestamp: eventInstant(),
      notification: z.unknown().optional(),
      statusType: partStatus(),
      lastEventTimestamp: eventInstant(),
    })
    .transform((wire): Stage => ({
      stageId: wire.processingStageId,
      name: wire.processingStageName ?? wire.processingStageId,
      tasksNumber: wire.tasksNumber,
      outputBatches: wire.outputBatches,
      startedAt: wire.startTimestamp,
      status: wire.statusType,
      message: notificationText(wire.notification) ?? '',
      eventAt: wire.lastEventTimestamp,
    })),
);

/** The stages of a job, oldest first; the service promises no order. */
export const stagesAnswer = once(() =>
  inField(readableOf(stage()), 'stages').transform((stages) =>
    stages.toSorted((a, b) => a.startedAt - b.startedAt),
  ),
);

/** From here on a number can only be a percentage; a little above 1 is rounding. */
const LEAST_PERCENTAGE = 2;

/** Tasks with their progress as a fraction. A service may state it in percent, and then it does so for all tasks. */
function withFractions(tasks: readonly Task[]): readonly Task[] {
  const whole = tasks.some((one) => (one.progressFraction ?? 0) >= LEAST_PERCENTAGE) ? 100 : 1;
  return tasks.map((one) => {
    const { progressFraction: done } = one;
    return { ...one, progressFraction: done && Math.min(1, Math.max(0, done / whole)) };
  });
}

const task = once(() =>
  z
    .object({
      taskId: id(),
      notification: z.unknown().optional(),
      statusType: partStatus(),
      progress: maybeNumber(),
      eventTimestamp: eventInstant(),
    })
    .transform((wire): Task => ({
      taskId: wire.taskId,
      status: wire.statusType,
      message: notificationText(wire.notification) ?? '',
      progressFraction: wire.progress,
      eventAt: wire.eventTimestamp,
    })),
);

export const tasksAnswer = once(() => pageIn(readableOf(task()).transform(withFractions), 'tasks'));

const logLine = once(() =>
  z
    .object({
      createdAt: eventInstant(),
      processingStageId: shownText(),
      taskId: shownText(),
      severity: shownText(),
      logType: shownText(),
      payload: z.unknown().optional(),
    })
    .transform((wire): JobLogLine => ({
      at: wire.createdAt,
      severity: wire.severity ?? 'info',
      stageId: wire.processingStageId,
      taskId: wire.taskId,
      text: logText(wire.payload) ?? wire.logType ?? '',
    })),
);

function logText(payload: unknown): string | null {
  const message = fieldOf(payload, 'message');
  if (typeof message === 'string') return redact(message);
  return typeof payload === 'object' ? compactJson(payload) : notificationText(payload);
}

export const logsAnswer = once(() => pageIn(listOf(logLine()), 'logs'));
