/** Turns the options of a job into a checked request. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { JobRequest } from '../../engine/runner/connect.ts';
import { ok, allOf } from '../../engine/core/errors.ts';
import type { CommandContext } from '../session/context.ts';
import { AGGREGATIONS, MACHINES, MEDIA_KINDS } from './jobOptions.ts';
import { readChoice, usage, readOption, positiveNumber } from '../terminal/args.ts';

function asFraction(text: string, name: string): Result<number> {
  const value = Number(text);
  return value >= 0 && value <= 1 ? ok(value) : usage(`${name} is between 0 and 1`);
}

function asFrequency(text: string, name: string): Result<number> {
  return Number(text) > 0 ? ok(Number(text)) : usage(`${name} is a number above 0`);
}

function asObject(text: string, name: string): Result<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return ok({ ...value });
  } catch {
    // Rejected below.
  }
  return usage(`${name} is not a JSON object`);
}

/** Reads the job options except the batch and the workflow; those that are not given are absent. Error: usage.invalid. */
export function readJobOptions({ args }: CommandContext): Result<Partial<JobRequest>> {
  const read = allOf({
    workersPerMachine: readOption(args, 'workers', positiveNumber),
    processingTimeoutSeconds: readOption(args, 'timeout', positiveNumber),
    maxParallelTasks: readOption(args, 'max-tasks', positiveNumber),
    maxImageFailureRate: readOption(args, 'max-failure-rate', asFraction),
    maxVideoFps: readOption(args, 'max-fps', asFrequency),
    machineType: readChoice(args, 'machine', MACHINES),
    aggregationFormat: readChoice(args, 'aggregation', AGGREGATIONS),
    imageInputName: readOption(args, 'image-input', ok<string>),
    persistImagesOutputs: ok(args.flag('save-images') || null),
    workflowParameters: readOption(args, 'parameters', asObject),
  });
  if (!read.ok) return read;
  const given = Object.entries(read.value).filter(([, value]) => value !== null);
  return ok(Object.fromEntries(given));
}

/** Reads the request for a job over a batch. Error: usage.invalid. */
export function readJobRequest(
  context: CommandContext,
  over: { batchId: string; kind: 'image' | 'video' } | null = null,
): Result<JobRequest> {
  const { args } = context;
  const batchId = over?.batchId ?? args.needed('batch');
  const type = readChoice(args, 'type', MEDIA_KINDS);
  if (!type.ok) return type;
  const extras = readJobOptions(context);
  if (!extras.ok) return extras;
  const partName = args.text('part') ?? undefined;
  const kind = type.value ?? over?.kind ?? 'image';
  return ok({ ...extras.value, partName, kind, batchId, workflowId: args.needed('workflow') });
}
