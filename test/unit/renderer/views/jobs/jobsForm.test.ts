/** The form that starts a job, and the texts about jobs. */
import { describe, expect, it, test } from 'vitest';
import { jobOptionsSchema } from '../../../../../preload/contract/watchRule.ts';
import type { ErrorCode } from '../../../../../preload/contract/errors.ts';
import type { Task } from '../../../../../preload/contract/serviceRecords.ts';
import type { JobRow, StageView } from '../../../../../preload/contract/records.ts';
import { failureGroups } from '../../../../../renderer/views/jobs/jobFailures.ts';
import {
  draftFrom,
  givenName,
  type JobDraft,
  parametersIn,
  readDraft,
} from '../../../../../renderer/views/jobs/jobDraft.ts';
import {
  definitionFacts,
  inputsLine,
  machinesLine,
  resultsLine,
} from '../../../../../renderer/views/jobs/jobFacts.ts';
import { firstChoice } from '../../../../../renderer/views/jobs/jobChoices.ts';
import { spellDuration } from '../../../../../renderer/text/format.ts';
import {
  firstJobTab,
  jobSentence,
  stageWords,
  unbegunWords,
} from '../../../../../renderer/views/jobs/jobWords.ts';
import { stage, task } from '../../records.ts';

const FULL = {
  workflowId: 'count-cups',
  machineType: 'gpu',
  workersPerMachine: 4,
  processingTimeoutSeconds: 5400,
  maxParallelTasks: 8,
  maxImageFailureRate: 0.05,
  imageInputName: 'image',
  persistImagesOutputs: true,
  aggregationFormat: 'csv',
  workflowParameters: { threshold: 0.4, names: ['a'] },
} as const;

function draft(change: Partial<JobDraft> = {}): JobDraft {
  const empty = draftFrom({ batchId: 'cam-1', kind: 'image' }, null);
  return { ...empty, workflowId: 'count-cups', ...change };
}

function wrongIn(change: Partial<JobDraft>): readonly string[] {
  const answer = readDraft(draft(change));
  return answer.ok ? [] : Object.keys(answer.wrong);
}

describe('the job form', () => {
  it('gives the last options back unchanged', () => {
    const last = jobOptionsSchema().parse(FULL);
    const answer = readDraft(draftFrom({ batchId: 'cam-1', kind: 'image' }, last));
    expect(answer).toEqual({ ok: true, jobId: null, name: null, options: last });
  });

  it('asks for what the contract takes', () => {
    const answer = readDraft(draft({ timeoutMinutes: '0,5', failPercent: '.1' }));
    expect(answer.ok && jobOptionsSchema().safeParse(answer.options).success).toBe(true);
    expect(answer.ok && answer.options.processingTimeoutSeconds).toBe(30);
    expect(answer.ok && answer.options.maxImageFailureRate).toBe(0.001);
  });

  it('leaves out fields of the other kind of media, even wrong ones', () => {
    const video = readDraft(draft({ kind: 'video', failPercent: '700', maxVideoFps: '2.5' }));
    expect(video).toMatchObject({ ok: true, options: { maxVideoFps: 2.5 } });
    expect(video.ok && 'maxImageFailureRate' in video.options).toBe(false);
    const image = readDraft(draft({ maxVideoFps: 'many' }));
    expect(image.ok && 'maxVideoFps' in image.options).toBe(false);
  });

  it.each([
    [{ batchId: '' }, 'batchId'],
    [{ workflowId: '  ' }, 'workflowId'],
    [{ jobId: 'Not Legal' }, 'jobId'],
    [{ jobId: 'a'.repeat(21) }, 'jobId'],
    [{ timeoutMinutes: '-1' }, 'timeoutMinutes'],
    [{ timeoutMinutes: '1e3' }, 'timeoutMinutes'],
    [{ maxParallelTasks: '1.5' }, 'maxParallelTasks'],
    [{ failPercent: '101' }, 'failPercent'],
    [{ kind: 'video', maxVideoFps: '0' }, 'maxVideoFps'],
    [{ workflowParameters: '{' }, 'workflowParameters'],
    [{ workflowParameters: '[1]' }, 'workflowParameters'],
  ] as const)('says which field is wrong: %o', (change, field) => {
    expect(wrongIn(change)).toEqual([field]);
  });

  it('takes an object as parameters, and nothing for nothing', () => {
    expect(parametersIn('{"a": null}')).toEqual({ a: null });
    expect(parametersIn(' \n')).toBeUndefined();
    expect(parametersIn('null')).toMatch(/object/);
  });
});

describe('a job without a name', () => {
  it('is called by its workflow and its batch', () => {
    expect(givenName(draft())).toBe('count-cups over cam-1');
    expect(givenName(draft({ workflowId: ' ' }))).toBe('');
    expect(givenName(draft({ batchId: '' }))).toBe('');
    expect(givenName(draft({ workflowId: 'w'.repeat(300) }))).toHaveLength(200);
  });
});

describe('the closed parts of the form', () => {
  it('say their values in a line', () => {
    const last = draftFrom({ batchId: 'cam-1', kind: 'image' }, jobOptionsSchema().parse(FULL));
    expect(machinesLine(last)).toBe(
      'GPU · 4 workers per machine · max 90 minutes · 8 parallel tasks · 5 % may fail',
    );
    expect(inputsLine(last, parametersIn(last.workflowParameters))).toBe(
      'image · threshold, names',
    );
    expect(resultsLine({ ...last, jobId: 'night-4' })).toBe(
      'CSV · output images are kept · job ID night-4',
    );
  });

  it('say who decides where nothing is given, and what cannot be read', () => {
    expect(machinesLine(draft())).toBe('CPU · Auto');
    expect(machinesLine(draft({ timeoutMinutes: 'soon', kind: 'video', maxVideoFps: '2' }))).toBe(
      'CPU · 2 frames per second',
    );
    expect(inputsLine(draft(), undefined)).toBe('image · no parameters');
    expect(inputsLine(draft({ imageInputName: 'picture' }), 'Not valid JSON.')).toBe(
      'picture · parameters that are not JSON',
    );
    expect(resultsLine(draft())).toBe('the service chooses the format');
  });

  it.each([
    [45_000, '45 seconds'],
    [60_000, '1 minute'],
    [5_400_000, '90 minutes'],
    [3_600_000, '1 hour'],
    [7_200_000, '2 hours'],
    [9_060_000, '2 hours 31 minutes'],
    [Number.NaN, '–'],
  ])('spell %d ms as %s', (ms, words) => {
    expect(spellDuration(ms)).toBe(words);
  });
});

describe('the batch that the form begins with', () => {
  const choice = (batchId: string) => ({ batchId, label: batchId, why: null });
  it('is the named one, else the only one, else none: a guess would cost money', () => {
    expect(firstChoice([choice('new'), choice('cam-1')], 'cam-1')).toBe('cam-1');
    expect(firstChoice([choice('cam-1')], '')).toBe('cam-1');
    expect(firstChoice([choice('new'), choice('cam-1')], '')).toBe('');
    expect(firstChoice([], '')).toBe('');
  });
});

const ROW: JobRow = {
  jobId: 'j',
  name: 'j',
  batchId: 'b',
  state: 'planned',
  currentStage: null,
  createdAt: 1,
  updatedAt: 1,
};

function failed(taskId: string, message: string): Task {
  return task(taskId, { status: 'failed', message });
}

describe('error texts', () => {
  it('are one when they differ in numbers, ids and names only, the most frequent first', () => {
    const groups = failureGroups([
      stage([
        failed('a', 'out of memory'),
        failed('b', "Cannot read 'x.jpg' (3 of 9)"),
        failed('c', "Cannot read 'y.jpg' (4 of 9)"),
      ]),
    ]);
    expect(groups.map(({ message, taskIds }) => [message, taskIds])).toEqual([
      ["Cannot read 'x.jpg' (3 of 9)", ['b', 'c']],
      ['out of memory', ['a']],
    ]);
  });

  it('come from the stage when no task of it failed', () => {
    expect(failureGroups([stage([], { status: 'failed', message: 'stage said this' })])).toEqual([
      { message: 'stage said this', stage: 'processing', taskIds: [] },
    ]);
    expect(failureGroups([stage([])])).toEqual([]);
  });
});

describe('a job without stages', () => {
  const words = (state: JobRow['state'], blockedBy: ErrorCode | null = null, isAtService = true) =>
    unbegunWords({ job: { ...ROW, state }, blockedBy, isAtService, error: null });

  it('says what keeps it, and who tries again', () => {
    expect(words('parked', 'job.conflict').text).toMatch(/another job has this id.*Check the job/);
    expect(words('parked', 'service.refused').text).toMatch(/Check its workflow/);
    expect(words('planned').text).toMatch(/^Waiting until its batch is closed/);
    expect(words('planned', 'service.quota').text).toMatch(/Retries automatically\.$/);
    expect(words('queued').title).toBe('No stages yet');
    expect(words('failed').title).toBe('No stages');
    expect(words('succeeded', null, false).text).toMatch(/Results .* stay on this computer/);
  });
});

test('a failed job opens with its errors, also while they are read', () => {
  const first = (asking: boolean, stages: readonly StageView[] = []): string =>
    firstJobTab({ job: { ...ROW, state: 'failed' }, stages }, asking);
  expect([first(true), first(false), first(false, [stage([])])]).toEqual([
    'failures',
    'timeline',
    'failures',
  ]);
});

describe('figures and facts', () => {
  it('name the stage in work', () => {
    const done = stage([], { status: 'succeeded', fraction: 1, name: 'processing' });
    expect(stageWords([done, stage([], { name: 'export', fraction: 0.41 })])).toBe('export, 41 %');
    expect(stageWords([])).toBeNull();
  });

  it('read a definition as far as it is understood, whatever it is', () => {
    const body = {
      jobInput: { batchId: 'b' },
      processingSpecification: {
        workflowId: 'w',
        persistImagesOutputs: false,
        aggregationFormat: 'csv',
        workflowParameters: { threshold: 0.4, classes: ['cup', 'lid'] },
      },
      computeConfiguration: { machineType: 'gpu' },
      processingTimeoutSeconds: 7200,
      maxImageFailureRate: 0.05,
    };
    expect(definitionFacts(JSON.stringify(body))).toEqual([
      { label: 'Batch', value: 'b' },
      { label: 'Workflow', value: 'w' },
      { label: 'Machine', value: 'GPU' },
      { label: 'Max compute time', value: '2 hours' },
      { label: 'Allowed failures', value: '5 %' },
      { label: 'Output format', value: 'CSV' },
      { label: 'Save output images', value: 'no' },
      { label: 'Parameters', value: 'threshold: 0.4\nclasses: ["cup","lid"]' },
    ]);
    for (const odd of ['', '{', 'null', '[]', '7', '{"jobInput":null}', '{"jobInput":[1]}']) {
      expect(definitionFacts(odd)).toEqual([]);
    }
  });
});

it('says of a failed job why, and that nothing has to be uploaded again', () => {
  expect(jobSentence('failed', 'Too many tasks failed')).toBe(
    'Too many tasks failed. Your uploaded files are still in the batch; nothing needs to be uploaded again.',
  );
  expect(jobSentence('running', '24 of 35 chunks done')).toBe('24 of 35 chunks done');
  expect(jobSentence('succeeded', 'All done')).toBeNull();
});
