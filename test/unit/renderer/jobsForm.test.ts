/** The form that starts a job, and the words of jobs. */
import { describe, expect, it } from 'vitest';
import { jobOptionsSchema } from '../../../preload/watchRule.ts';
import type { StageView, TaskRow } from '../../../preload/rows.ts';
import { failureGroups } from '../../../renderer/text/jobFailures.ts';
import {
  draftFrom,
  type JobDraft,
  parametersIn,
  readDraft,
} from '../../../renderer/text/jobDraft.ts';
import { definitionFacts, stageWords } from '../../../renderer/text/jobWords.ts';

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
    const last = jobOptionsSchema.parse(FULL);
    const answer = readDraft(draftFrom({ batchId: 'cam-1', kind: 'image' }, last));
    expect(answer).toEqual({ ok: true, jobId: null, name: null, options: last });
  });

  it('asks for what the contract takes', () => {
    const answer = readDraft(draft({ timeoutMinutes: '0,5', maxImageFailureRate: '.1' }));
    expect(answer.ok && jobOptionsSchema.safeParse(answer.options).success).toBe(true);
    expect(answer.ok && answer.options.processingTimeoutSeconds).toBe(30);
  });

  it('leaves out fields of the other kind of media, even wrong ones', () => {
    const video = readDraft(draft({ kind: 'video', maxImageFailureRate: '7', maxVideoFps: '2.5' }));
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
    [{ maxImageFailureRate: '5' }, 'maxImageFailureRate'],
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

function failed(taskId: string, message: string): TaskRow {
  return { taskId, status: 'failed', message, progressFraction: 1, eventAt: 1 };
}

function stage(tasks: readonly TaskRow[], change: Partial<StageView> = {}): StageView {
  return {
    stageId: 'st',
    name: 'processing',
    status: 'running',
    message: 'stage said this',
    tasksNumber: 1,
    fraction: 0,
    startedAt: 1,
    eventAt: 1,
    tasks,
    ...change,
  };
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
    expect(failureGroups([stage([], { status: 'failed' })])).toEqual([
      { message: 'stage said this', stage: 'processing', taskIds: [] },
    ]);
    expect(failureGroups([stage([])])).toEqual([]);
  });
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
      processingSpecification: { workflowId: 'w', persistImagesOutputs: false },
      maxImageFailureRate: 0,
    };
    expect(definitionFacts(JSON.stringify(body))).toEqual([
      { label: 'Batch', value: 'b' },
      { label: 'Workflow', value: 'w' },
      { label: 'Images that may fail', value: '0' },
      { label: 'Keeps output images', value: 'no' },
    ]);
    for (const odd of ['', '{', 'null', '[]', '7', '{"jobInput":null}', '{"jobInput":[1]}']) {
      expect(definitionFacts(odd)).toEqual([]);
    }
  });
});
