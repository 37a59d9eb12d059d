/** Turns the options of a job into a checked request. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { JobRequest } from '../../engine/runner/connect.ts';
import type { JobOptions } from '../../../preload/contract/watchRule.ts';
import { ok } from '../../engine/core/errors.ts';
import type { CommandContext } from '../session/context.ts';
import { AGGREGATIONS, MACHINES, MEDIA_KINDS, WORKERS } from './jobOptions.ts';
import {
  type Arguments,
  choiceOf,
  positiveNumber,
  type Reader,
  readOption,
  usage,
} from '../terminal/args.ts';

function asFraction(text: string, name: string): Result<number> {
  const value = Number(text);
  return value >= 0 && value <= 1 ? ok(value) : usage(`${name} is between 0 and 1`);
}

function asFrequency(text: string, name: string): Result<number> {
  return Number(text) > 0 ? ok(Number(text)) : usage(`${name} is a number above 0`);
}

function asWorkers(text: string, name: string): Result<number> {
  const workers = choiceOf(WORKERS)(text, name);
  return workers.ok ? ok(Number(workers.value)) : workers;
}

function asObject(text: string, name: string): Result<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return ok({ ...value });
  } catch {
    // Rejected below.
  }
  return usage(`${name} is not a JSON object`);
}

/** The field of a job that each option sets, and how its value is read. */
const FIELDS: Readonly<Record<string, readonly [keyof JobOptions, Reader<unknown>]>> = {
  machine: ['machineType', choiceOf(MACHINES)],
  workers: ['workersPerMachine', asWorkers],
  timeout: ['processingTimeoutSeconds', positiveNumber],
  'max-tasks': ['maxParallelTasks', positiveNumber],
  'max-failure-rate': ['maxImageFailureRate', asFraction],
  'image-input': ['imageInputName', ok],
  aggregation: ['aggregationFormat', choiceOf(AGGREGATIONS)],
  'max-fps': ['maxVideoFps', asFrequency],
  parameters: ['workflowParameters', asObject],
};

/**
 * Reads the job options except the batch and the workflow; those that are not given are absent. `canRemove`: with "none", a field is
 * undefined. Error: usage.invalid.
 */
export function readJobOptions(args: Arguments, canRemove: boolean): Result<Partial<JobRequest>> {
  const fields: Record<string, unknown> = {};
  if (args.flag('save-images')) fields['persistImagesOutputs'] = true;
  for (const [name, [field, read]] of Object.entries(FIELDS)) {
    const given = args.text(name);
    if (given === null) continue;
    const value = canRemove && given === 'none' ? ok(undefined) : read(given, `--${name}`);
    if (!value.ok) return value;
    fields[field] = value.value;
  }
  return ok(fields);
}

/** Reads the request for a job over a batch. Error: usage.invalid. */
export function readJobRequest(
  { args }: CommandContext,
  over: { batchId: string; kind: 'image' | 'video' } | null = null,
): Result<JobRequest> {
  const batchId = over?.batchId ?? args.needed('batch');
  const kind = readOption(args, 'type', choiceOf(MEDIA_KINDS), over?.kind ?? 'image');
  if (!kind.ok) return kind;
  const extras = readJobOptions(args, false);
  if (!extras.ok) return extras;
  const partName = args.text('part') ?? undefined;
  return ok({
    ...extras.value,
    partName,
    kind: kind.value,
    batchId,
    workflowId: args.needed('workflow'),
  });
}
