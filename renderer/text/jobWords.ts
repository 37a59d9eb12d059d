/** The words of jobs: states, what happens next, and what a job was started with. Pure. */
import type { JobDetail, JobRow, StageView } from '../../preload/rows.ts';
import { formatPercent, formatRelative } from './format.ts';
import type { StateWords } from './itemStates.ts';
import { silenceWords } from './jobStall.ts';
import type { TaskBar } from './jobTimeline.ts';

const STATES: Readonly<Record<JobRow['state'], StateWords>> = {
  planned: {
    word: 'Planned',
    tone: 'waiting',
    meaning: 'Starts by itself when its batch is closed and confirmed.',
  },
  queued: {
    word: 'Queued',
    tone: 'waiting',
    meaning: 'The service took it and looks for machines; that usually takes 3 to 8 minutes.',
  },
  running: { word: 'Running', tone: 'moving', meaning: 'The service works on it.' },
  succeeded: { word: 'Done', tone: 'quiet', meaning: 'Every stage ended well.' },
  failed: {
    word: 'Failed',
    tone: 'needs',
    meaning: 'The job ended with an error. The uploaded files are still in the batch.',
  },
  aborted: { word: 'Aborted', tone: 'quiet', meaning: 'The job was stopped before its end.' },
  parked: {
    word: 'Needs you',
    tone: 'needs',
    meaning: 'It was not started: see Problems for what is in the way.',
  },
};

/** The words of a job's state. */
export function jobState(state: JobRow['state']): StateWords {
  return STATES[state];
}

/** True while something of the job can still change at the service. */
export function isLive(state: JobRow['state']): boolean {
  return state === 'planned' || state === 'queued' || state === 'running';
}

/** The stage that a job is in, with its figure: "processing, 41 %". null before the first stage. */
export function stageWords(stages: readonly StageView[]): string | null {
  const current =
    stages.find((stage) => stage.status === 'running') ?? stages[stages.length - 1] ?? null;
  return current === null ? null : `${current.name}, ${formatPercent(current.fraction)}`;
}

/** A fact of a job's definition, in words. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

const LABELS: readonly (readonly [path: string, label: string])[] = [
  ['jobInput.batchId', 'Batch'],
  ['processingSpecification.workflowId', 'Workflow'],
  ['processingSpecification.imageInputName', 'Image input'],
  ['computeConfiguration.machineType', 'Machine'],
  ['computeConfiguration.workersPerMachine', 'Workers per machine'],
  ['processingTimeoutSeconds', 'Machine time in all, seconds'],
  ['maxParallelTasks', 'Tasks at once'],
  ['maxImageFailureRate', 'Images that may fail'],
  ['processingSpecification.aggregationFormat', 'Results as'],
  ['processingSpecification.maxVideoFPS', 'Frames per second, at most'],
  ['processingSpecification.persistImagesOutputs', 'Keeps output images'],
  ['processingSpecification.workflowParameters', 'Parameters'],
  ['notificationsURL', 'Tells'],
];

function valueAt(root: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).find(([name]) => name === key)?.[1];
  }, root);
}

function wordsOfValue(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a job was started with, as far as it is understood; empty for a definition that is no JSON object. */
export function definitionFacts(definition: string): readonly Fact[] {
  let root: unknown;
  try {
    root = JSON.parse(definition);
  } catch {
    return [];
  }
  return LABELS.flatMap(([path, label]) => {
    const value = valueAt(root, path);
    return value === undefined || value === null ? [] : [{ label, value: wordsOfValue(value) }];
  });
}

/** What a person can expect next of a job, in one sentence. */
export function nextOfJob(detail: Pick<JobDetail, 'job' | 'resultsBatch'>): string {
  switch (detail.job.state) {
    case 'planned':
      return 'Starts by itself once its batch is closed and everything in it is confirmed.';
    case 'queued':
      return 'Waits for machines; that usually takes 3 to 8 minutes.';
    case 'running':
      return 'Runs at the service. This computer can sleep meanwhile.';
    case 'succeeded':
      return detail.resultsBatch === null
        ? 'Done. The service names no outputs.'
        : 'Done. The outputs can be downloaded below.';
    case 'failed':
      return 'Ended with an error. The uploaded files are still in the batch; nothing has to be sent again.';
    case 'aborted':
      return 'Stopped before its end. The uploaded files are still in the batch.';
    case 'parked':
      return 'Was not started. Problems says what is in the way; the files are safe.';
  }
}

/** A task in a line: "task-022, running 31 %, no news for 14 min". The message itself is read beside it. */
export function barWords({ task, silentMs }: TaskBar, now: number): string {
  const share = task.progressFraction === null ? '' : ` ${formatPercent(task.progressFraction)}`;
  const states = { running: `running${share}`, succeeded: 'done', failed: 'failed' } as const;
  const news = silentMs === null ? formatRelative(task.eventAt, now) : silenceWords(silentMs);
  return `${task.taskId}, ${states[task.status]}, ${news}`;
}

/** What is shown of a job. */
export type JobTab = 'timeline' | 'failures' | 'logs' | 'facts';

/** The tabs of a job; `failures` is the number of different ones. */
export function jobTabs(
  failures: number,
): readonly { readonly value: JobTab; readonly label: string }[] {
  return [
    { value: 'timeline', label: 'Time line' },
    { value: 'failures', label: failures === 0 ? 'Errors' : `Errors ${failures}` },
    { value: 'logs', label: 'Logs' },
    { value: 'facts', label: 'Settings' },
  ];
}
