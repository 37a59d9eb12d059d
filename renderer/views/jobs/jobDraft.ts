/** The form that starts a job: what was typed, what is wrong with it, and the resulting request. Pure. */
import { BATCH_ID, JOB_ID } from '../../../preload/contract/idPatterns.ts';
import type { JobOptions } from '../../../preload/contract/watchRule.ts';

export interface JobDraft {
  batchId: string;
  kind: 'image' | 'video';
  name: string;
  /** '' requests a new id. */
  jobId: string;
  workflowId: string;
  imageInputName: string;
  machineType: 'cpu' | 'gpu';
  /** '' leaves it to the service. */
  workersPerMachine: '' | '1' | '2' | '4' | '8';
  timeoutMinutes: string;
  maxParallelTasks: string;
  /** How many of 100 images may fail. */
  failPercent: string;
  aggregationFormat: '' | 'csv' | 'jsonl';
  maxVideoFps: string;
  persistImagesOutputs: boolean;
  workflowParameters: string;
}

export type DraftFaults = Readonly<Partial<Record<keyof JobDraft, string>>>;

export type DraftAnswer =
  | {
      readonly ok: true;
      readonly jobId: string | null;
      readonly name: string | null;
      readonly options: JobOptions;
    }
  | { readonly ok: false; readonly wrong: DraftFaults };

const WORKERS = ['1', '2', '4', '8'] as const;

function shown(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function percentOf(fraction: number | undefined): number | undefined {
  return fraction === undefined ? undefined : Math.round(fraction * 1e8) / 1e6;
}

/** A form for a batch, filled with the options used last. */
export function draftFrom(
  batch: { readonly batchId: string; readonly kind: 'image' | 'video' | null },
  last: JobOptions | null,
): JobDraft {
  const seconds = last?.processingTimeoutSeconds;
  const parameters = last?.workflowParameters;
  return {
    batchId: batch.batchId,
    kind: batch.kind ?? 'image',
    name: '',
    jobId: '',
    workflowId: last?.workflowId ?? '',
    imageInputName: last?.imageInputName ?? '',
    machineType: last?.machineType ?? 'cpu',
    workersPerMachine: WORKERS.find((count) => count === shown(last?.workersPerMachine)) ?? '',
    timeoutMinutes: seconds === undefined ? '' : String(Math.round((seconds / 60) * 100) / 100),
    maxParallelTasks: shown(last?.maxParallelTasks),
    failPercent: shown(percentOf(last?.maxImageFailureRate)),
    aggregationFormat: last?.aggregationFormat ?? '',
    maxVideoFps: shown(last?.maxVideoFps),
    persistImagesOutputs: last?.persistImagesOutputs ?? false,
    workflowParameters: parameters === undefined ? '' : JSON.stringify(parameters, null, 2),
  };
}

/** The default name of a job: "count-cups over cam-1"; '' until both are known. */
export function givenName({
  workflowId,
  batchId,
}: Pick<JobDraft, 'workflowId' | 'batchId'>): string {
  const workflow = workflowId.trim();
  return workflow === '' || batchId === '' ? '' : `${workflow} over ${batchId}`.slice(0, 200);
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
  readonly words: string;
}

/** The number in a text: undefined when empty, null when it is not a number or out of bounds. A comma counts as a decimal point. */
function numberIn(text: string, { least, most, whole }: Bounds): number | null | undefined {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return undefined;
  if (!/^\d+(\.\d+)?$|^\.\d+$/.test(trimmed)) return null;
  const value = Number(trimmed);
  return value >= least && value <= most && (!whole || Number.isInteger(value)) ? value : null;
}

const MINUTES: Bounds = {
  least: 1 / 60,
  most: 525_600,
  whole: false,
  words: 'Minutes from 0.02 to 525,600.',
};
const TASKS: Bounds = {
  least: 1,
  most: 100_000,
  whole: true,
  words: 'A whole number from 1 to 100,000.',
};
const PERCENT: Bounds = {
  least: 0,
  most: 100,
  whole: false,
  words: 'A number from 0 to 100.',
};
const FPS: Bounds = {
  least: 0.001,
  most: 1000,
  whole: false,
  words: 'Frames per second above 0, up to 1,000.',
};

type Json = NonNullable<JobOptions['workflowParameters']>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parameters in a text: undefined when empty, otherwise an object or a sentence about what is wrong. */
export function parametersIn(text: string): Json | string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'Enter a JSON object: {"name": value}.';
  } catch (caught) {
    const place = caught instanceof Error ? ` ${caught.message}` : '';
    return `Not valid JSON.${place}`;
  }
}

type Wrong = Partial<Record<keyof JobDraft, string>>;

function readNumbers(draft: JobDraft, wrong: Wrong): Partial<JobOptions> {
  const take = (field: keyof JobDraft, text: string, bounds: Bounds): number | undefined => {
    const value = numberIn(text, bounds);
    if (value === null) wrong[field] = bounds.words;
    return value ?? undefined;
  };
  const minutes = take('timeoutMinutes', draft.timeoutMinutes, MINUTES);
  const tasks = take('maxParallelTasks', draft.maxParallelTasks, TASKS);
  const images = draft.kind === 'image';
  const percent = images ? take('failPercent', draft.failPercent, PERCENT) : undefined;
  const fps = images ? undefined : take('maxVideoFps', draft.maxVideoFps, FPS);
  return {
    ...(minutes === undefined
      ? {}
      : { processingTimeoutSeconds: Math.max(1, Math.round(minutes * 60)) }),
    ...(tasks === undefined ? {} : { maxParallelTasks: tasks }),
    ...(percent === undefined ? {} : { maxImageFailureRate: Math.round(percent * 1e6) / 1e8 }),
    ...(fps === undefined ? {} : { maxVideoFps: fps }),
  };
}

function readChoices(draft: JobDraft): Partial<JobOptions> {
  const input = draft.imageInputName.trim();
  const workers = ([1, 2, 4, 8] as const).find((n) => String(n) === draft.workersPerMachine);
  return {
    machineType: draft.machineType,
    ...(workers === undefined ? {} : { workersPerMachine: workers }),
    ...(input === '' ? {} : { imageInputName: input }),
    ...(draft.aggregationFormat === '' ? {} : { aggregationFormat: draft.aggregationFormat }),
    ...(draft.persistImagesOutputs ? { persistImagesOutputs: true } : {}),
  };
}

/** The request that the form describes, or what is wrong with it. Fields for the other media kind are left out. */
export function readDraft(draft: JobDraft): DraftAnswer {
  const wrong: Wrong = {};
  const workflowId = draft.workflowId.trim();
  const jobId = draft.jobId.trim();
  if (!BATCH_ID.test(draft.batchId)) wrong.batchId = 'Select a batch.';
  if (workflowId === '') wrong.workflowId = 'Enter a workflow ID.';
  if (workflowId.length > 200) wrong.workflowId = 'At most 200 characters.';
  if (draft.imageInputName.trim().length > 200) wrong.imageInputName = 'At most 200 characters.';
  if (draft.name.length > 200) wrong.name = 'At most 200 characters.';
  if (jobId !== '' && !JOB_ID.test(jobId)) {
    wrong.jobId = 'Up to 20 of a–z, 0–9 and -.';
  }
  const numbers = readNumbers(draft, wrong);
  const parameters = parametersIn(draft.workflowParameters);
  if (typeof parameters === 'string') wrong.workflowParameters = parameters;
  if (Object.keys(wrong).length > 0 || typeof parameters === 'string') return { ok: false, wrong };
  const name = draft.name.trim();
  return {
    ok: true,
    jobId: jobId === '' ? null : jobId,
    name: name === '' ? null : name,
    options: {
      workflowId,
      ...readChoices(draft),
      ...numbers,
      ...(parameters === undefined ? {} : { workflowParameters: parameters }),
    },
  };
}
