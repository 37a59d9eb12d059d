/** What a job was started with, in words: from its definition on the service, and from the form before it is sent. Pure. */
import { countOf } from '../../../preload/contract/figures.ts';
import { spellDuration } from '../../text/format.ts';
import type { JobDraft } from './jobDraft.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
}

type Say = (value: unknown) => string;

/** How to display a value whose field is not known. */
const plain: Say = (value) => {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
const upper: Say = (value) => plain(value).toUpperCase();
const seconds: Say = (value) =>
  typeof value === 'number' ? spellDuration(value * 1000) : plain(value);
const share: Say = (value) => (typeof value === 'number' ? shareWords(value) : plain(value));
const lines: Say = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, one]) => `${name}: ${plain(one)}`)
        .join('\n')
    : plain(value);

const LABELS: readonly (readonly [path: string, label: string, say: Say])[] = [
  ['jobInput.batchId', 'Batch', plain],
  ['processingSpecification.workflowId', 'Workflow', plain],
  ['processingSpecification.imageInputName', 'Image input', plain],
  ['computeConfiguration.machineType', 'Machine', upper],
  ['computeConfiguration.workersPerMachine', 'Workers per machine', plain],
  ['processingTimeoutSeconds', 'Max compute time', seconds],
  ['maxParallelTasks', 'Max parallel tasks', plain],
  ['maxImageFailureRate', 'Allowed failures', share],
  ['processingSpecification.aggregationFormat', 'Output format', upper],
  ['processingSpecification.maxVideoFPS', 'Max frames per second', plain],
  ['processingSpecification.persistImagesOutputs', 'Save output images', plain],
  ['processingSpecification.workflowParameters', 'Parameters', lines],
  ['notificationsURL', 'Webhook', plain],
];

/** 0.05 → "5 %". */
function shareWords(fraction: number): string {
  return fraction === 0 ? 'none' : `${String(Math.round(fraction * 1e6) / 1e4)} %`;
}

function valueAt(root: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).find(([name]) => name === key)?.[1];
  }, root);
}

/** What a job was started with, as far as it is understood; empty for a definition that is not a JSON object. */
export function definitionFacts(definition: string): readonly Fact[] {
  let root: unknown;
  try {
    root = JSON.parse(definition);
  } catch {
    return [];
  }
  return LABELS.flatMap(([path, label, say]) => {
    const value = valueAt(root, path);
    return value === undefined || value === null ? [] : [{ label, value: say(value) }];
  });
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' · ');
}

/** The form's machine time in words; null when empty or invalid. */
export function machineTime({ timeoutMinutes }: Pick<JobDraft, 'timeoutMinutes'>): string | null {
  const minutes = Number(timeoutMinutes.trim().replace(',', '.'));
  return timeoutMinutes.trim() === '' || !(minutes > 0) ? null : spellDuration(minutes * 60_000);
}

/** The form's machines and limits on one line: "GPU · 4 workers per machine · 2 hours in all". */
export function machinesLine(draft: JobDraft): string {
  const { workersPerMachine, kind, maxParallelTasks, failPercent, maxVideoFps } = draft;
  const time = machineTime(draft);
  const limit = kind === 'image' ? failPercent.trim() : maxVideoFps.trim();
  const parts = [
    workersPerMachine === '' ? null : `${countOf(Number(workersPerMachine), 'worker')} per machine`,
    time === null ? null : `max ${time}`,
    maxParallelTasks.trim() === '' ? null : `${maxParallelTasks.trim()} parallel tasks`,
    limit === '' ? null : kind === 'image' ? `${limit} % may fail` : `${limit} frames per second`,
  ];
  const limits = joined(parts);
  return joined([draft.machineType.toUpperCase(), limits === '' ? 'Auto' : limits]);
}

/** The workflow's input on one line: "image input “picture” · confidence, classes". */
export function inputsLine(draft: JobDraft, parameters: unknown): string {
  const input = draft.imageInputName.trim();
  const names =
    typeof parameters === 'object' && parameters !== null ? Object.keys(parameters) : [];
  const given =
    names.length === 0 && typeof parameters !== 'string'
      ? 'no parameters'
      : typeof parameters === 'string'
        ? 'parameters that are not JSON'
        : names.join(', ');
  return joined([input === '' ? 'image' : input, given]);
}

/** What the job leaves behind, on one line: "CSV · images are kept · job id night-4". */
export function resultsLine(draft: JobDraft): string {
  const { aggregationFormat, persistImagesOutputs } = draft;
  const id = draft.jobId.trim();
  return joined([
    aggregationFormat === '' ? 'the service chooses the format' : aggregationFormat.toUpperCase(),
    persistImagesOutputs ? 'output images are kept' : null,
    id === '' ? null : `job ID ${id}`,
  ]);
}
