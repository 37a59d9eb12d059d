/** Answers in another form than the documented one. */
import { expect, it } from 'vitest';
import {
  jobAnswer,
  stagesAnswer,
  tasksAnswer,
} from '../../../../../main/engine/service/schemas/processing.ts';
import {
  foldersAnswer,
  imageBatchesAnswer,
} from '../../../../../main/engine/service/schemas/projects.ts';
import { filesAnswer, shardsAnswer } from '../../../../../main/engine/service/schemas/staging.ts';
import { wordsOf } from '../../../../../main/engine/service/schemas/readJson.ts';

it.each([
  [{ status: 'queued' }, 'queued'],
  [{ status: 'RUNNING' }, 'running'],
  [{ status: 'PROCESSING' }, 'running'],
  [{ status: 'warming up' }, 'queued'],
  [{ status: 'completed' }, 'succeeded'],
  [{ status: 'FINISHED' }, 'succeeded'],
  [{ status: 'failed' }, 'failed'],
  [{ status: 'completed', error: 'it broke' }, 'failed'],
  [{ status: 'completed', isTerminal: false }, 'queued'],
  [{ status: 'ok', currentStage: 'export' }, 'running'],
])('a job with %j is %s', (fields, state) => {
  expect(jobAnswer().parse({ job: { jobId: 'j', ...fields } }).state).toBe(state);
});

it.each([
  ['PAUSED_BY_ADMIN', 'PAUSED_BY_ADMIN'],
  ['queued', null],
  ['completed', null],
  ['ok', null],
])('of a job without a stage, the status %j is shown as %j', (status, currentStage) => {
  expect(jobAnswer().parse({ job: { jobId: 'j', status } })).toMatchObject({ currentStage });
});

it.each(['', ' ', null])('with the name %j, what has an id is shown by its id', (name) => {
  const [folder] = foldersAnswer().parse({
    data: [{ id: 'g1', name, projects: [{ id: 'cups', name }] }],
  });
  expect(folder).toMatchObject({ name: 'g1', projects: [{ name: 'cups' }] });
  expect(imageBatchesAnswer().parse({ batches: [{ id: 'b1', name }] })[0]?.name).toBe('b1');
  expect(jobAnswer().parse({ job: { jobId: 'j', name } }).name).toBe('j');
});

it('a job whose stage is "" is in none', () => {
  const job = jobAnswer().parse({ job: { jobId: 'j', currentStage: '', isTerminal: false } });
  expect(job).toMatchObject({ state: 'queued', currentStage: null });
});

it.each([
  [0, 0],
  [0.45, 0.45],
  [1.0000001, 1],
  [45, 0.45],
  [100, 1],
  [-1, 0],
])('the progress %d of a task is %d', (progress, fraction) => {
  const { items } = tasksAnswer().parse({ tasks: [{ taskId: 'a', progress }] });
  expect(items[0]?.progressFraction).toBe(fraction);
});

it.each([
  [
    [1, '40', null, 100],
    [0.01, 0.4, null, 1],
  ],
  [
    [1, 0.4, null, 1.01],
    [1, 0.4, null, 1],
  ],
])('the progress %j of tasks is %j: all have the same unit', (progress, fractions) => {
  const tasks = progress.map((one, at) => ({ taskId: `t${at}`, progress: one }));
  const { items } = tasksAnswer().parse({ tasks });
  expect(items.map((task) => task.progressFraction)).toEqual(fractions);
});

it('a count that the service does not state is not called 0 or 1', () => {
  const shards = [{ shardId: 's', statusType: 'info' }];
  expect(shardsAnswer().parse({ shards }).items[0]?.objectsCount).toBeNull();
  const stages = [{ processingStageId: 's' }];
  expect(stagesAnswer().parse({ stages })[0]?.tasksNumber).toBe(0);
});

it('a shard without a status is read, and its status is unknown', () => {
  const shards = [{ shardId: 's', statusType: null, shardObjectsCount: 3 }, { shardId: 't' }];
  const read = shardsAnswer()
    .parse({ shards })
    .items.map(({ status }) => status);
  expect(read).toEqual(['unknown', 'unknown']);
});

it.each([{}, { status: 'ok' }, { nextPageToken: null }])(
  '%j is a batch without files',
  (answer) => {
    const nothing = { items: [], nextPageToken: null };
    expect(filesAnswer('https://api.example/list').parse(answer)).toEqual(nothing);
    expect(shardsAnswer().parse(answer)).toEqual(nothing);
  },
);

it('the words of an error are found in any case', () => {
  expect(wordsOf('{"Error":"no such project"}')).toBe('no such project');
});

it.each([
  ['\ufffd\ufffd', null],
  ['PK\u0003\u0004\ufffd\u0000', null],
  ['Datei ung\ufffdltig', 'Datei ung\ufffdltig'],
])('of an error %j, the words are %j', (text, words) => {
  expect(wordsOf(text)).toBe(words);
});
