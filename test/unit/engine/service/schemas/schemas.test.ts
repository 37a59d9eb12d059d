import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { z } from 'zod';
import { insightsAnswer } from '../../../../../main/engine/service/schemas/insights.ts';
import {
  instantOf,
  isPlainWebAddress,
  statusOf,
} from '../../../../../main/engine/service/schemas/parts.ts';
import * as staging from '../../../../../main/engine/service/schemas/staging.ts';
import * as processing from '../../../../../main/engine/service/schemas/processing.ts';
import * as projects from '../../../../../main/engine/service/schemas/projects.ts';
import {
  expiryOf,
  signedUploadAnswer,
} from '../../../../../main/engine/service/schemas/signedUpload.ts';
import { ANSWERS } from '../answers.ts';

const job = ANSWERS.job.job;
const BASE = 'https://api.example/v1/batches?api_key=k3y';
const SCHEMAS: readonly (readonly [string, (base: string) => z.ZodType, unknown])[] = [
  ['workspace', staging.workspaceAnswer, ANSWERS.workspace],
  ['signed upload', signedUploadAnswer, ANSWERS.signed],
  ['count', staging.countAnswer, ANSWERS.count],
  ['shards', staging.shardsAnswer, ANSWERS.shards],
  ['parts', staging.partsAnswer, ANSWERS.parts],
  ['files', staging.filesAnswer, ANSWERS.files],
  ['batch', staging.batchAnswer, ANSWERS.batch],
  ['batches', staging.batchesAnswer, { batches: [ANSWERS.batch.batch] }],
  ['job', processing.jobAnswer, ANSWERS.job],
  ['jobs', processing.jobsAnswer, { jobs: [job], nextPageToken: 'x' }],
  ['stages', processing.stagesAnswer, ANSWERS.stages],
  ['tasks', processing.tasksAnswer, ANSWERS.tasks],
  ['logs', processing.logsAnswer, ANSWERS.logs],
  ['folders', projects.foldersAnswer, ANSWERS.folders],
  ['new folder', projects.folderCreatedAnswer, { id: 'g9' }],
  ['projects', projects.projectsAnswer, ANSWERS.projects],
  ['insights', insightsAnswer('cups'), ANSWERS.insights],
  ['image batches', projects.imageBatchesAnswer, ANSWERS.imageBatches],
  ['annotation jobs', projects.annotationJobsAnswer, { jobs: [ANSWERS.annotationJob] }],
  ['new annotation job', projects.annotationJobCreatedAnswer, ANSWERS.annotationJob],
];

/** A copy in which the value at a random position is replaced or removed. */
function mutated(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return replacement;
  const entries = Object.entries(value);
  const chosen = entries[first % Math.max(1, entries.length)];
  if (chosen === undefined) return replacement;
  const changed = entries.flatMap(([key, entry]) => {
    if (key !== chosen[0]) return [[key, entry] as const];
    if (rest.length === 0 && replacement === undefined) return [];
    return [[key, mutated(entry, rest, replacement)] as const];
  });
  return Array.isArray(value) ? changed.map((entry) => entry[1]) : Object.fromEntries(changed);
}

describe.each(SCHEMAS)('%s', (_name, schema, answer) => {
  it('reads the documented answer, with additional unknown fields', () => {
    expect(schema(BASE).safeParse(answer).success).toBe(true);
    if (typeof answer === 'object') {
      expect(schema(BASE).safeParse({ ...answer, surprise: { deep: [1] } }).success).toBe(true);
    }
  });
  it('never throws, whatever it is given', () => {
    const weird = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        undefined,
        Number.NaN,
        1e308,
        -1,
        '',
        '\u0000',
        '__proto__',
        'a'.repeat(9999),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 6 }), weird, (path, replacement) => {
        const result = schema(BASE).safeParse(mutated(answer, path, replacement));
        expect(typeof result.success).toBe('boolean');
        if (result.success) expect(() => JSON.stringify(result.data)).not.toThrow();
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => schema(BASE).safeParse(JSON.parse(text))).not.toThrow();
      }),
    );
  });
});

describe('signed addresses', () => {
  const read = (details: object) =>
    signedUploadAnswer(BASE).safeParse({ signedURLDetails: details });
  const uploadURL = 'https://bucket.example/o?sig=1';

  it('includes limits, headers and the expiry', () => {
    expect(signedUploadAnswer(BASE).parse(ANSWERS.signed)).toEqual({
      url: ANSWERS.signed.signedURLDetails.uploadURL,
      headers: { 'x-goog-content-length-range': '0,2000' },
      maxBytes: 1000,
      maxMembers: 500,
      expiresAt: Date.UTC(2026, 8, 20, 11),
    });
  });
  it.each([
    ['/upload/abc?sig=1', 'https://api.example/upload/abc?sig=1'],
    ["./abc?sig=it's", "https://api.example/v1/abc?sig=it's"],
    ['../abc', 'https://api.example/abc'],
    ['o/abc?to=https://b', 'https://api.example/v1/o/abc?to=https://b'],
    ['//bucket.example/o?sig=1', 'https://bucket.example/o?sig=1'],
  ])('may be relative to the request: %s', (given, url) => {
    expect(read({ uploadURL: given }).data?.url).toBe(url);
    const files = staging.filesAnswer(BASE).parse({ filesMetadata: [{ downloadURL: given }] });
    expect(files.items[0]?.url).toBe(url);
  });
  it.each(['', '?sig=1', '#', 'pending', '//', '//user:pw@bucket.example/o'])(
    'is not %j',
    (uploadURL) => {
      expect(read({ uploadURL }).success).toBe(false);
    },
  );
  it('knows no limits where none are stated', () => {
    expect(read({ uploadURL }).data).toEqual({
      url: uploadURL,
      headers: {},
      maxBytes: null,
      maxMembers: null,
      expiresAt: null,
    });
  });
  test.each([
    [{ maxFileSize: '5' }, 5, null],
    [{ maxFileSizeBytes: 0 }, null, null],
    [{ maxFileSize: -1, maxFileCount: 300 }, null, 300],
    [{ maxImagesInArchive: 400, maxFilesSize: 9 }, null, 400],
    [{ maxNumberOfObjects: 3.5 }, null, null],
  ])('limits in %j', (limits, maxBytes, maxMembers) => {
    expect(read({ uploadURL, extensionHeaders: {}, ...limits }).data).toMatchObject({
      maxBytes,
      maxMembers,
    });
  });
  it('leaves out headers that frame a message', () => {
    const extensionHeaders = {
      Host: 'evil',
      'Content-Length': '1',
      'transfer-encoding': 'chunked',
      Connection: 'close',
      'Proxy-Connection': 'close',
      expect: '100-continue',
      'x-count': 3,
      'Content-Type': 'video/mp4',
    };
    const headers = { 'x-count': '3', 'Content-Type': 'video/mp4' };
    expect(read({ uploadURL, extensionHeaders }).data?.headers).toEqual(headers);
  });
  test.each([
    { 'x-a': 'b\r\nevil: 1' },
    { 'bad name': 'x' },
    { 'x:': 'y' },
    { 'x-a': '\u{1f600}' },
  ])('refuses headers that cannot be sent: %j', (extensionHeaders) => {
    expect(read({ uploadURL, extensionHeaders }).success).toBe(false);
  });
  test.each([
    'ftp://bucket.example/o',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pass@bucket.example/o',
    'https://',
    '',
    ' https://bucket.example',
  ])('refuses the address %j', (address) => {
    expect(isPlainWebAddress(address)).toBe(false);
    expect(read({ uploadURL: address }).success).toBe(false);
  });
  test.each([
    [
      'https://b.example/o?X-Amz-Date=20260920T100000Z&X-Amz-Expires=60',
      Date.UTC(2026, 8, 20, 10, 1),
    ],
    ['https://b.example/o?Expires=1790000000&Signature=x', 1_790_000_000_000],
    ['https://b.example/o?X-Goog-Date=yesterday&X-Goog-Expires=60', null],
    ['https://b.example/o?X-Goog-Date=20269999T100000Z&X-Goog-Expires=60', null],
    ['https://b.example/o?Expires=never', null],
    ['https://b.example/o', null],
  ])('expiry of %s', (address, expected) => {
    expect(expiryOf(address)).toBe(expected);
  });
});

test.each([
  ['2026-09-20T10:00:00.000Z', Date.UTC(2026, 8, 20, 10)],
  ['2026-09-20T12:00:00+02:00', Date.UTC(2026, 8, 20, 10)],
  ['2026-09-20T10:00:00', Date.UTC(2026, 8, 20, 10)],
  ['2026-09-20 10:00:00', Date.UTC(2026, 8, 20, 10)],
  ['2026-09-20', Date.UTC(2026, 8, 20)],
  [1_790_000_000, 1_790_000_000_000],
  [1_790_000_000_123, 1_790_000_000_123],
  ['1790000000', 1_790_000_000_000],
  ['1970-01-02T00:00:00Z', 86_400_000],
  [{ _seconds: 1_669_146_024, _nanoseconds: 818_000_000 }, 1_669_146_024_818],
  [{ _seconds: 1_669_146_024, _nanoseconds: { toString: 0 } }, 1_669_146_024_000],
  [{ seconds: '1669146024', nanos: 'x' }, 1_669_146_024_000],
  [{ seconds: 1_669_146_024 }, 1_669_146_024_000],
  ['soon', null],
  [-5, null],
  [1e300, null],
  [null, null],
  [{}, null],
  [[], null],
])('the instant %j', (value, expected) => {
  expect(instantOf(value)).toBe(expected);
});

test.each([
  ['info', 'running'],
  ['INFO', 'running'],
  ['pending', 'running'],
  ['success', 'succeeded'],
  ['success-with-warnings', 'succeeded'],
  ['completed', 'succeeded'],
  ['error', 'failed'],
  ['partial-failure', 'failed'],
  ['unsuccessful', 'failed'],
  ['aborted', 'failed'],
  ['timed_out', 'failed'],
  ['made-up', 'unknown'],
  ['', 'unknown'],
] as const)('the status word %j', (word, status) => {
  expect(statusOf(word)).toBe(status);
});

describe('jobs', () => {
  const read = (fields: object) => processing.jobAnswer().parse({ job: { ...job, ...fields } });
  it('says the state from three fields', () => {
    expect(read({ currentStage: null }).state).toBe('queued');
    expect(read({}).state).toBe('running');
    expect(read({ isTerminal: true }).state).toBe('succeeded');
    expect(read({ isTerminal: true, error: true }).state).toBe('failed');
    expect(read({ isTerminal: true, error: { message: 'x' } }).state).toBe('failed');
  });
  it.each([0, 'false', 'False', 'no', 'none', '0', ''])('reads %j as no', (no) => {
    expect(read({ isTerminal: no, error: no }).state).toBe('running');
    expect(read({ isTerminal: 1, error: no }).state).toBe('succeeded');
    expect(read({ isTerminal: 'true', error: 'it broke' }).state).toBe('failed');
  });
  it('reads a last notification of each shape', () => {
    expect(read({}).lastMessage).toBe('made up');
    expect(read({}).resultsBatches).toEqual(['job-a1-export']);
    expect(read({ lastNotification: 'text' })).toMatchObject({ lastMessage: 'text' });
    expect(read({ lastNotification: { type: 'only' } }).lastMessage).toBe('only');
    expect(read({ lastNotification: null })).toMatchObject({
      lastMessage: null,
      resultsBatches: [],
    });
  });
  it('does not show the path of a webhook or a key', () => {
    const definition = {
      a: [{ notificationsURL: 'https://h.example/path?x=1' }],
      b: 'x?api_key=K',
      '?api_key=K': 1,
    };
    const shown = read({ jobDefinition: definition }).definition;
    expect(shown).toEqual({
      a: [{ notificationsURL: 'https://h.example/[hidden]' }],
      b: 'x?api_key=[hidden]',
      '?api_key=[hidden]': 1,
    });
    expect(JSON.stringify(read({}).definition)).not.toContain('s3cr3t-path');
  });
  it('orders stages by their start and guards their numbers', () => {
    const stages = processing.stagesAnswer().parse(ANSWERS.stages);
    expect(stages.map((stage) => [stage.stageId, stage.tasksNumber, stage.status])).toEqual([
      ['st-1', 4, 'running'],
      ['st-2', 0, 'failed'],
    ]);
    expect(processing.tasksAnswer().parse(ANSWERS.tasks).items[0]?.progressFraction).toBe(1);
  });

  it('shows a task with an odd field without that field, and leaves out one without an id', () => {
    const tasks = [
      { taskId: 'a', statusType: null, progress: '0.5' },
      { taskId: 'b', statusType: 'success', progress: 'half', notification: 7 },
      { taskId: null, statusType: 'info' },
      'no task',
      { taskId: 'c' },
    ];
    const shown = processing.tasksAnswer().parse({ tasks }).items;
    expect(shown.map((task) => [task.taskId, task.status, task.progressFraction])).toEqual([
      ['a', 'running', 0.5],
      ['b', 'succeeded', null],
      ['c', 'running', null],
    ]);
    expect(processing.tasksAnswer().safeParse({ tasks: 'none' }).success).toBe(false);
  });

  it('shows a stage with odd fields without them, and a job too', () => {
    const odd = { processingStageName: 4, tasksNumber: '3', outputBatches: 'none' };
    const stages = [{ processingStageId: 's', ...odd, statusType: null }, { statusType: 'info' }];
    expect(processing.stagesAnswer().parse({ stages })).toMatchObject([
      { stageId: 's', name: 's', tasksNumber: 3, outputBatches: [], status: 'running' },
    ]);
    const named = { ...job, name: 5, plannedStages: 'none' };
    expect(processing.jobAnswer().parse({ job: named })).toMatchObject({
      name: job.jobId,
      plannedStages: [],
    });
  });
});

describe('projects', () => {
  const folder = {
    id: 7,
    name: null,
    parent_id: 'g0',
    projects: [{ id: 'acme/p', name: 'P' }, 'q'],
  };
  const expected = {
    folderId: '7',
    name: '7',
    parentId: 'g0',
    projects: [
      { projectId: 'p', name: 'P' },
      { projectId: 'q', name: 'q' },
    ],
  };
  test.each(['data', 'groups', 'folders'])('folders under "%s"', (name) => {
    expect(projects.foldersAnswer().parse({ [name]: [folder] })).toEqual([expected]);
  });
  test.each([
    { id: 'g9' },
    { group: { id: 'g9' } },
    { folder: { id: 'g9' } },
    { data: { id: 'g9' } },
  ])('a new folder as %j', (answer) => {
    expect(projects.folderCreatedAnswer().parse(answer)).toBe('g9');
  });
  test.each([
    ANSWERS.annotationJob,
    { job: ANSWERS.annotationJob },
    { success: true, job: ANSWERS.annotationJob },
  ])('a new annotation job, shape %#', (answer) => {
    expect(projects.annotationJobCreatedAnswer().parse(answer)).toEqual({
      annotationJobId: 'j1',
      name: 'Job 9',
      status: 'assigned',
      labeler: 'l@example.com',
      reviewer: 'r@example.com',
      sourceBatch: 'BATCH',
      images: 26,
      annotated: 3,
      unannotated: 23,
      approved: 0,
      rejected: 0,
      createdAt: 1_669_148_088_297,
    });
  });
});

const batchRow = { batches: [ANSWERS.batch.batch] };
const jobRows = { jobs: [ANSWERS.annotationJob] };

test.each<readonly [string, () => z.ZodType, Readonly<Record<string, unknown>>, string]>([
  ['batches', staging.batchesAnswer, batchRow, 'batches'],
  ['jobs', processing.jobsAnswer, { jobs: [job] }, 'jobs'],
  ['folders', projects.foldersAnswer, ANSWERS.folders, 'data'],
  ['insights', insightsAnswer('cups'), ANSWERS.insights, 'data'],
  ['image batches', projects.imageBatchesAnswer, ANSWERS.imageBatches, 'batches'],
  ['annotation jobs', projects.annotationJobsAnswer, jobRows, 'jobs'],
])('an entry of %s that cannot be read does not hide the others', (_, schema, answer, rows) => {
  const known = answer[rows];
  if (!Array.isArray(known)) throw new Error('no rows');
  const read = schema().parse({ ...answer, [rows]: [null, ...known, {}] });
  expect(read).toEqual(schema().parse(answer));
  expect(schema().safeParse({ ...answer, [rows]: [null, {}] }).success).toBe(false);
});

test.each<readonly [string, () => z.ZodType, object]>([
  ['image batches', projects.imageBatchesAnswer, { batches: [{ id: 'b' }] }],
  ['annotation jobs', projects.annotationJobsAnswer, { jobs: [{ id: 'j' }] }],
  ['folders', projects.foldersAnswer, { data: [{ id: 'f' }] }],
  ['insights', insightsAnswer('cups'), { data: [{ labelerId: 'l' }] }],
  ['jobs', processing.jobsAnswer, { jobs: [{ jobId: 'j' }] }],
  ['stages', processing.stagesAnswer, { stages: [{ processingStageId: 's' }] }],
  ['tasks', processing.tasksAnswer, { tasks: [{ taskId: 't' }] }],
  ['shards', staging.shardsAnswer, { shards: [{ shardId: 's', statusType: 'info' }] }],
])('%s need only ids', (_, schema, answer) => {
  expect(schema().safeParse(answer).success).toBe(true);
});

test.each<readonly [string, (base: string) => z.ZodType, Readonly<Record<string, unknown>>]>([
  ['count', staging.countAnswer, ANSWERS.count],
  ['shards', staging.shardsAnswer, ANSWERS.shards],
  ['batchParts', staging.partsAnswer, ANSWERS.parts],
  ['filesMetadata', staging.filesAnswer, ANSWERS.files],
  ['job', processing.jobAnswer, ANSWERS.job],
  ['stages', processing.stagesAnswer, ANSWERS.stages],
  ['tasks', processing.tasksAnswer, ANSWERS.tasks],
  ['data', projects.foldersAnswer, ANSWERS.folders],
  ['batches', projects.imageBatchesAnswer, ANSWERS.imageBatches],
  ['jobs', projects.annotationJobsAnswer, jobRows],
])('%s may come without an object around it', (field, schema, answer) => {
  const expected = schema(BASE).parse(answer);
  expect(schema(BASE).parse(answer[field])).toEqual(expected);
});

const listsToShow = [
  processing.stagesAnswer,
  projects.foldersAnswer,
  projects.imageBatchesAnswer,
  projects.annotationJobsAnswer,
];

test.each([{}, { status: 'ok', total: 0 }, null, []])('%j is an empty list', (answer) => {
  for (const schema of listsToShow) expect(schema().parse(answer)).toEqual([]);
});

test.each([{ message: 'not now' }, { success: false }, { total: 3 }])('%j is no list', (answer) => {
  for (const schema of listsToShow) expect(schema().safeParse(answer).success).toBe(false);
});

it('an image batch keeps its name although other fields cannot be read', () => {
  const odd = { id: 'b1', name: 'B', images: '12', numJobs: {}, uploaded: 'soon' };
  const expected = { imageBatchId: 'b1', name: 'B', images: 12, jobs: null, createdAt: null };
  expect(projects.imageBatchesAnswer().parse({ batches: [odd] })).toEqual([expected]);
});

test.each(['..', '.', '', 'a/b', 'a?b', 'a b', 'a%2f', 'a\\b'])(
  'no workspace is named %j',
  (name) => {
    expect(staging.workspaceAnswer().safeParse({ workspace: name }).success).toBe(false);
  },
);

it.each([
  [{ count: 42 }, 42],
  [{ count: '42' }, 42],
  [{ count: '-1' }, null],
  [{ count: '4e2' }, null],
  [{ count: 4.5 }, null],
  [{}, null],
])('the count of %j is %j', (answer, expected) => {
  expect(staging.countAnswer().safeParse(answer).data ?? null).toBe(expected);
});

test.each([
  { downloadURL: 'https://h.example/o' },
  { fileName: 7 },
  { fileName: null },
  {},
  null,
  'text',
])('an entry of a list such as %j counts as one without a name', (odd) => {
  const named = { ...ANSWERS.files.filesMetadata[0], fileName: 'a.jpg' };
  const read = staging.filesAnswer(BASE).parse({ filesMetadata: [odd, named], nextPageToken: 't' });
  expect(read.items.map(({ fileName }) => fileName)).toEqual(['', 'a.jpg']);
  expect(read.nextPageToken).toBe('t');
});

test.each([{ partName: 4 }, { shardId: {} }, { contentType: 4 }])(
  'an entry of a list keeps its name next to %j',
  (odd) => {
    const entry = { fileName: 'a.jpg', downloadURL: 'https://h.example/o', ...odd };
    const { items } = staging.filesAnswer(BASE).parse({ filesMetadata: [entry] });
    const empty = { partName: null, shardId: null, contentType: '' };
    expect(items).toEqual([{ fileName: 'a.jpg', url: 'https://h.example/o', ...empty }]);
  },
);

test.each([{ a: 1 }, { filesMetadata: { a: 1 } }, { filesMetadata: [null, {}] }, undefined])(
  'no list of files is %j',
  (answer) => {
    expect(staging.filesAnswer(BASE).safeParse(answer).success).toBe(false);
  },
);
