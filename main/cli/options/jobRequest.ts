/** Turns the options of a job into a checked request. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { JobRequest } from '../../engine/runner/connect.ts';
import { ok } from '../../engine/core/errors.ts';
import type { CommandContext } from '../session/context.ts';
import { AGGREGATIONS, MACHINES, MEDIA_KINDS } from './jobOptions.ts';
import { readChoice, usage, wholeNumber } from '../terminal/args.ts';

type Extras = { -readonly [K in keyof JobRequest]?: JobRequest[K] };

function readNumbers(context: CommandContext, extras: Extras): Result<void> {
  const { args } = context;
  const wholes = [
    ['workers', 'workersPerMachine'],
    ['timeout', 'processingTimeoutSeconds'],
    ['max-tasks', 'maxParallelTasks'],
  ] as const;
  for (const [option, field] of wholes) {
    const given = args.text(option);
    if (given === null) continue;
    const value = wholeNumber(given, `--${option}`, 1);
    if (!value.ok) return value;
    extras[field] = value.value;
  }
  const rate = args.text('max-failure-rate');
  if (rate !== null) {
    const value = Number(rate);
    if (!(value >= 0 && value <= 1)) return usage('--max-failure-rate is between 0 and 1');
    extras.maxImageFailureRate = value;
  }
  const fps = args.text('max-fps');
  if (fps !== null) {
    const value = Number(fps);
    if (!(value > 0)) return usage('--max-fps is a number above 0');
    extras.maxVideoFps = value;
  }
  return ok(undefined);
}

function readWords(context: CommandContext, extras: Extras): Result<void> {
  const { args } = context;
  const machine = readChoice(args, 'machine', MACHINES);
  if (!machine.ok) return machine;
  if (machine.value !== null) extras.machineType = machine.value;
  const aggregation = readChoice(args, 'aggregation', AGGREGATIONS);
  if (!aggregation.ok) return aggregation;
  if (aggregation.value !== null) extras.aggregationFormat = aggregation.value;
  const input = args.text('image-input');
  if (input !== null) extras.imageInputName = input;
  if (args.flag('save-images')) extras.persistImagesOutputs = true;
  const parameters = args.text('parameters');
  if (parameters === null) return ok(undefined);
  try {
    const value: unknown = JSON.parse(parameters);
    if (typeof value === 'object' && value !== null) {
      extras.workflowParameters = { ...value };
      return ok(undefined);
    }
  } catch {
    // Rejected below.
  }
  return usage('--parameters is not a JSON object');
}

/** Reads the job options except the batch and the workflow. Error: usage.invalid. */
export function readJobOptions(context: CommandContext): Result<Extras> {
  const extras: Extras = {};
  const numbers = readNumbers(context, extras);
  if (!numbers.ok) return numbers;
  const words = readWords(context, extras);
  return words.ok ? ok(extras) : words;
}

/** Reads the request for a job over a batch. Error: usage.invalid. */
export function readJobRequest(
  context: CommandContext,
  over: { batchId: string; kind: 'image' | 'video' } | null = null,
): Result<JobRequest> {
  const { args } = context;
  const workflowId = args.text('workflow');
  if (workflowId === null) return usage('--workflow WF is missing');
  const batchId = over?.batchId ?? args.text('batch');
  if (batchId === null) return usage('--batch ID is missing');
  const type = readChoice(args, 'type', MEDIA_KINDS);
  if (!type.ok) return type;
  const extras = readJobOptions(context);
  if (!extras.ok) return extras;
  const part = args.text('part');
  const within = part === null ? {} : { partName: part };
  const kind = type.value ?? over?.kind ?? 'image';
  return ok({ ...extras.value, ...within, kind, batchId, workflowId });
}
