/** Each operation: the exact request, and the parsed answer. */
import { describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../main/engine/service/serviceClient.ts';
import { ANSWERS } from './answers.ts';
import { bodyOf, clientOf, KEY } from './testClient.ts';
import { type Reply } from './testServer.ts';

const STAGING = '/data-staging/v1/external/acme/batches';
const JOBS = '/batch-processing/v1/external/acme/jobs';

interface Case {
  readonly name: string;
  readonly call: (client: ServiceClient, signal: AbortSignal) => Promise<unknown>;
  readonly request: readonly [method: string, path: string, query?: object, json?: unknown];
  readonly reply: Reply;
  readonly value: unknown;
}

const request = { kind: 'image', batchId: 'b1', workflowId: 'w1' } as const;
const jobJson = {
  type: 'simple-image-processing-v1',
  jobInput: { type: 'staging-batch-input-v1', batchId: 'b1' },
  computeConfiguration: { type: 'compute-configuration-v2' },
  processingSpecification: {
    type: 'workflows-processing-specification-v1',
    workspace: 'acme',
    workflowId: 'w1',
  },
};
const annotationRequest = {
  name: 'Job 9',
  imageBatchId: 'b1',
  images: 26,
  labelerEmail: 'l@example.com',
  reviewerEmail: 'r@example.com',
};
const ok = (value: unknown) => ({ ok: true, value });
const containing = (value: object): unknown => expect.objectContaining(value);

const CASES: readonly Case[] = [
  {
    name: 'upload video',
    call: (client, signal) =>
      client.registerVideo({ batchId: 'b1', fileName: 'a b&c.mp4', displayName: 'Näme' }, signal),
    request: ['POST', `${STAGING}/b1/upload/video`, { fileName: 'a b&c.mp4', displayName: 'Näme' }],
    reply: { body: ANSWERS.signed },
    value: containing({ maxBytes: 1000, maxMembers: 500 }),
  },
  {
    name: 'upload image',
    call: (client, signal) =>
      client.uploadImage(
        { batchId: 'b1', fileName: 'a+b=1.jpg', displayName: null },
        { contentType: 'multipart/form-data; boundary=x', body: bodyOf('the form') },
        signal,
      ),
    request: ['POST', `${STAGING}/b1/upload/image`, { fileName: 'a+b=1.jpg' }, 'the form'],
    reply: { body: { status: 'ok' } },
    value: { alreadyThere: false, headers: {} },
  },
  {
    name: 'bulk upload images',
    call: (client, signal) => client.registerShard({ batchId: 'b1', displayName: null }, signal),
    request: ['POST', `${STAGING}/b1/bulk-upload/image-files`],
    reply: { body: ANSWERS.signed },
    value: containing({ url: ANSWERS.signed.signedURLDetails.uploadURL }),
  },
  {
    name: 'get batch item count',
    call: (client, signal) => client.askCount('b1', 'part/1', signal),
    request: ['GET', `${STAGING}/b1/count`, { partName: 'part/1' }],
    reply: { body: ANSWERS.count },
    value: 42,
  },
  {
    name: 'get shard upload details',
    call: (client, signal) => client.askShards('b1', signal),
    request: ['GET', `${STAGING}/b1/shards`],
    reply: { body: ANSWERS.shards },
    value: [
      {
        shardId: '0d40',
        status: 'succeeded',
        statusName: 'made-up-name',
        objectsCount: 256,
        eventAt: Date.UTC(2026, 8, 20, 10),
        details: '{"k":"v"}',
      },
    ],
  },
  {
    name: 'list output parts',
    call: (client, signal) => client.batchParts('b1', signal),
    request: ['GET', `${STAGING}/b1/parts`],
    reply: { body: ANSWERS.parts },
    value: [
      {
        name: 'exported_data',
        type: 'simple-batch',
        contentType: 'archives',
        description: 'made up',
      },
    ],
  },
  {
    name: 'list download URLs',
    call: (client, signal) => client.askFilesPage('b1', 'exported_data', null, signal),
    request: ['GET', `${STAGING}/b1/list`, { partName: 'exported_data' }],
    reply: { body: ANSWERS.files },
    value: {
      items: [
        {
          fileName: 'shard-0.tar.gz',
          url: 'https://bucket.example/o1?sig=x',
          partName: 'exported_data',
          shardId: null,
          contentType: 'archives',
        },
      ],
      nextPageToken: null,
    },
  },
  {
    name: 'start job',
    call: (client, signal) =>
      client.startJob('job-a1', 'Night run', client.jobBody(request, 'acme'), signal),
    request: ['POST', `${JOBS}/job-a1`, { name: 'Night run' }, jobJson],
    reply: { body: { status: 'ok' } },
    value: undefined,
  },
  {
    name: 'get job status',
    call: (client, signal) => client.jobStatus('job-a1', signal),
    request: ['GET', `${JOBS}/job-a1`],
    reply: { body: ANSWERS.job },
    value: containing({ jobId: 'job-a1', state: 'running', currentStage: 'processing' }),
  },
  {
    name: 'list job stages',
    call: (client, signal) => client.jobStages('job-a1', signal),
    request: ['GET', `${JOBS}/job-a1/stages`],
    reply: { body: ANSWERS.stages },
    value: [containing({ stageId: 'st-1' }), containing({ stageId: 'st-2' })],
  },
  {
    name: 'list stage tasks',
    call: (client, signal) => client.stageTasks('job-a1', 'st/1', signal),
    request: ['GET', `${JOBS}/job-a1/stages/st%2F1/tasks`],
    reply: { body: ANSWERS.tasks },
    value: [containing({ taskId: 't-0', status: 'succeeded' })],
  },
  {
    name: 'list folders',
    call: (client, signal) => client.listFolders(signal),
    request: ['GET', '/acme/folders'],
    reply: { body: ANSWERS.folders },
    value: [
      {
        folderId: 'g1',
        name: 'Client demos',
        parentId: null,
        projects: [
          { projectId: 'proj-a', name: 'proj-a' },
          { projectId: 'proj-b', name: 'proj-b' },
        ],
      },
    ],
  },
  {
    name: 'annotation insights',
    call: (client, signal) =>
      client.insights('acme/cups', { from: '2026-01-01', until: '2026-01-31' }, signal),
    request: [
      'GET',
      '/acme/cups/annotationInsights',
      { startDate: '2026-01-01', endDate: '2026-01-31' },
    ],
    reply: { body: ANSWERS.insights },
    value: containing({ projectId: 'cups', totals: containing({ boxesDrawn: 127 }) }),
  },
  {
    name: 'list image batches',
    call: (client, signal) => client.imageBatches('cups', signal),
    request: ['GET', '/acme/cups/batches'],
    reply: { body: ANSWERS.imageBatches },
    value: [
      {
        imageBatchId: 'b1',
        name: 'Upload via API',
        images: 115,
        jobs: 2,
        createdAt: 1_669_146_024_818,
      },
    ],
  },
  {
    name: 'list annotation jobs',
    call: (client, signal) => client.annotationJobs('cups', signal),
    request: ['GET', '/acme/cups/jobs'],
    reply: { body: { jobs: [ANSWERS.annotationJob] } },
    value: [containing({ annotationJobId: 'j1', status: 'assigned' })],
  },
  {
    name: 'create annotation job',
    call: (client, signal) => client.createAnnotationJob('cups', annotationRequest, signal),
    request: [
      'POST',
      '/acme/cups/jobs',
      {},
      {
        name: 'Job 9',
        batch: 'b1',
        num_images: 26,
        labelerEmail: 'l@example.com',
        reviewerEmail: 'r@example.com',
      },
    ],
    reply: { status: 201, body: { job: ANSWERS.annotationJob } },
    value: containing({ annotationJobId: 'j1', images: 26 }),
  },
  {
    name: 'extra: list batches',
    call: (client, signal) => client.listBatches(signal),
    request: ['GET', STAGING],
    reply: { body: { batches: [ANSWERS.batch.batch] } },
    value: [containing({ batchId: 'b1', expiresAt: Date.UTC(2026, 8, 27, 10) })],
  },
  {
    name: 'extra: batch metadata',
    call: (client, signal) => client.batchMetadata('b1', signal),
    request: ['GET', `${STAGING}/b1`],
    reply: { body: ANSWERS.batch },
    value: containing({ type: 'multipart-batch' }),
  },
  {
    name: 'extra: list jobs',
    call: (client, signal) => client.listJobs(signal),
    request: ['GET', JOBS, { pageSize: '100' }],
    reply: { body: { jobs: [ANSWERS.job.job], nextPageToken: null } },
    value: [containing({ jobId: 'job-a1' })],
  },
  {
    name: 'extra: abort',
    call: (client, signal) => client.abortJob('job-a1', signal),
    request: ['POST', `${JOBS}/job-a1/abort`],
    reply: { status: 204 },
    value: true,
  },
  {
    name: 'extra: restart',
    call: (client, signal) => client.restartJob('job-a1', signal),
    request: ['POST', `${JOBS}/job-a1/restart`],
    reply: { body: { status: 'ok' } },
    value: true,
  },
  {
    name: 'extra: logs',
    call: (client, signal) => client.jobLogs('job-a1', signal),
    request: ['GET', `${JOBS}/job-a1/logs`],
    reply: { body: ANSWERS.logs },
    value: [containing({ severity: 'warning', text: 'image 3 is black' })],
  },
  {
    name: 'extra: list projects',
    call: (client, signal) => client.listProjects(signal),
    request: ['GET', '/acme'],
    reply: { body: ANSWERS.projects },
    value: [{ projectId: 'cups', name: 'Cups', type: 'object-detection', images: 12 }],
  },
  {
    name: 'extra: the workspace of the key',
    call: (client, signal) => client.checkKey(signal),
    request: ['GET', '/'],
    reply: { body: ANSWERS.workspace },
    value: 'acme',
  },
];

describe('each operation sends exactly one request', () => {
  it.each(CASES)('$name', async ({ call, request: [method, path, query, json], reply, value }) => {
    const { server, client, signal } = await clientOf(() => reply);
    expect(await call(client, signal)).toEqual(ok(value));
    expect(server.seen).toHaveLength(1);
    const seen = server.seen[0];
    expect([seen?.method, seen?.path]).toEqual([method, path]);
    expect(seen?.query).toEqual({ ...query, api_key: KEY });
    const text = seen?.body.toString() ?? '';
    if (typeof json === 'object') expect(JSON.parse(text)).toEqual(json);
    else expect(text).toBe(json ?? '');
    if (method === 'POST') expect(seen?.headers['content-length']).toBe(String(text.length));
    expect(seen?.headers).not.toHaveProperty('authorization');
  });
});

/** Folders: writes use the dialect that a read has found. */
describe.each([
  ['spec', '/acme/folders', 'POST'],
  ['live', '/acme/groups', 'PATCH'],
] as const)('folders in the %s dialect', (dialect, path, moveMethod) => {
  it('creates a folder', async () => {
    const { server, client, signal, memory } = await clientOf(() => ({
      body: { group: { id: 'g9' } },
    }));
    memory.dialect = dialect;
    const made = await client.createFolder({ name: 'New', parentId: 'g1' }, signal);
    expect(made).toEqual(ok('g9'));
    const [seen] = server.seen;
    expect([server.seen.length, seen?.method, seen?.path]).toEqual([1, 'POST', path]);
    expect(JSON.parse(seen?.body.toString() ?? '')).toEqual({ name: 'New', parent_id: 'g1' });
  });
  it('moves projects into a folder', async () => {
    const { server, client, signal, memory } = await clientOf(() => ({ status: 204 }));
    memory.dialect = dialect;
    expect(await client.moveProjects('g1', ['cups', 'acme/plates'], signal)).toEqual(ok(undefined));
    const [seen] = server.seen;
    expect([server.seen.length, seen?.method]).toEqual([1, moveMethod]);
    expect(seen?.path).toBe(`${path}/g1/projects`);
    expect(JSON.parse(seen?.body.toString() ?? '')).toEqual({ projects: ['cups', 'plates'] });
    expect(seen?.query).toEqual({ api_key: KEY });
  });
});
