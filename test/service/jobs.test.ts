/** Jobs: what may start, how they progress, what they leave behind, whom they notify. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { portOf } from '../helpers/listen.ts';
import { sample, tinyPng } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import {
  batchPath,
  call,
  dig,
  jobBody,
  jobPath,
  listIn,
  put,
  registerShard,
  registerVideo,
  send,
  textIn,
  uploadImage,
} from './testRequests.ts';

let service: ReferenceService;

beforeEach(async () => {
  service = await createReferenceService({ clock: 'manual', settings: { exportShardSize: 2 } });
});
afterEach(() => service.close());

const startJob = (jobId: string, json: object) =>
  call(service, 'POST', jobPath(service, jobId), { json });
const statusOf = async (jobId: string) =>
  dig((await call(service, 'GET', jobPath(service, jobId))).json, 'job');

async function uploadSamples(batchId: string): Promise<void> {
  await uploadImage(service, batchId, 'frame.jpg', await sample('jpeg'));
  await uploadImage(service, batchId, 'cup.png', await sample('alphaPng'));
  await uploadImage(service, batchId, 'web.webp', await sample('webp'));
}

async function finish(): Promise<void> {
  await service.clock.advance(service.state.settings.queueMs + 2 * service.state.settings.stageMs);
}

describe('starting', () => {
  beforeEach(() => uploadSamples('b'));

  test('once more with the same definition is accepted and runs nothing', async () => {
    expect((await startJob('j', jobBody(service, 'b'))).json).toEqual({ status: 'ok' });
    const { type, ...rest } = { type: '', ...jobBody(service, 'b') };
    expect((await startJob('j', { ...rest, type })).status).toBe(200);
    expect(service.state.jobs.get('j')?.runs).toBe(1);
    const other = jobBody(service, 'b', { maxParallelTasks: 2 });
    expect((await startJob('j', other)).status).toBe(409);
  });

  const input = { type: 'staging-batch-input-v1', batchId: 'b' };
  const machines = { type: 'compute-configuration-v2', workersPerMachine: 3 };
  test.each([
    ['an unknown batch', 404, { jobInput: { ...input, batchId: 'unknown' } }],
    ['an unknown part', 404, { jobInput: { ...input, partName: 'none' } }],
    ['an id of 21 characters', 400, {}, 'j'.repeat(21)],
    ['an id with a dot', 400, {}, 'a.b'],
    ['an unknown field', 400, { priority: 1 }],
    ['a rate above 1', 400, { maxImageFailureRate: 1.5 }],
    ['a null where nothing should be', 400, { maxParallelTasks: null }],
    ['three workers', 400, { computeConfiguration: machines }],
    ['videos over a batch of images', 400, { type: 'simple-video-processing-v1' }],
  ])('refuses %s', async (_, status, more, jobId = 'j') => {
    expect((await startJob(jobId, jobBody(service, 'b', more))).status).toBe(status);
    expect(service.state.jobs.size).toBe(0);
  });

  test('refuses another workspace, and a list', async () => {
    const other = jobBody({ ...service, workspace: 'other' }, 'b');
    expect((await startJob('j', other)).status).toBe(403);
    expect((await startJob('j', [])).status).toBe(400);
    expect(service.state.jobs.size).toBe(0);
  });

  test('refuses an empty batch; one that is still being ingested it notes', async () => {
    const to = await registerShard(service, 'shards');
    expect((await startJob('j', jobBody(service, 'shards'))).status).toBe(400);
    await put(to, await tarOf([{ name: 'a.png', content: tinyPng(1) }]));
    expect((await startJob('j', jobBody(service, 'shards'))).status).toBe(400);
    expect(service.state.violations).toMatchObject([
      { rule: 'job-while-ingesting', detail: 'shards' },
    ]);
    await service.clock.advance(1000);
    expect((await startJob('j', jobBody(service, 'shards'))).status).toBe(200);
  });

  test('an upload after the start is noted', async () => {
    await startJob('j', jobBody(service, 'b'));
    await uploadImage(service, 'b', 'late.png', tinyPng(1));
    expect(service.state.violations).toMatchObject([{ rule: 'upload-after-job', detail: 'b' }]);
  });
});

describe('going on', () => {
  beforeEach(async () => {
    await uploadSamples('b');
    await startJob('j', jobBody(service, 'b'));
  });

  test('queued, processing, export, done: stages and tasks advance with time', async () => {
    const { settings } = service.state;
    expect(await statusOf('j')).toMatchObject({ currentStage: null, isTerminal: false });
    await service.clock.advance(settings.queueMs + settings.stageMs / 2);
    expect(await statusOf('j')).toMatchObject({ currentStage: 'processing', isTerminal: false });
    const stages = listIn(
      (await call(service, 'GET', jobPath(service, 'j', '/stages'))).json,
      'stages',
    );
    expect(stages).toMatchObject([
      { processingStageName: 'processing', tasksNumber: 3, statusType: 'info' },
    ]);
    const stageId = textIn(stages[0], 'processingStageId');
    const tasks = await call(service, 'GET', jobPath(service, 'j', `/stages/${stageId}/tasks`));
    expect(listIn(tasks.json, 'tasks')).toMatchObject([
      { statusType: 'success', progress: 1 },
      { statusType: 'info', progress: 0.5 },
      { statusType: 'info', progress: null },
    ]);
    await finish();
    expect(await statusOf('j')).toMatchObject({
      isTerminal: true,
      error: false,
      lastNotification: { resultsBatches: ['j-export'] },
    });
  });

  test('can be aborted while processing, more than once, and restarted; not when done', async () => {
    const post = (tail: string, json?: object) =>
      call(service, 'POST', jobPath(service, 'j', tail), json === undefined ? {} : { json });
    expect((await post('/restart')).status).toBe(409);
    await service.clock.advance(service.state.settings.queueMs + 1);
    expect((await post('/abort')).status).toBe(200);
    expect((await post('/abort')).status).toBe(200);
    expect(await statusOf('j')).toMatchObject({ isTerminal: true, error: true });
    expect((await post('/restart', { type: 'other' })).status).toBe(400);
    expect((await post('/restart')).status).toBe(200);
    await finish();
    expect(await statusOf('j')).toMatchObject({
      isTerminal: true,
      error: false,
      restartParametersOverride: [],
    });
    expect(service.state.jobs.get('j')?.runs).toBe(2);
    expect((await post('/abort')).status).toBe(409);
    expect((await post('/restart')).status).toBe(409);
  });

  test('are listed and keep a log', async () => {
    await finish();
    const listed = await call(service, 'GET', '/batch-processing/v1/external/demo/jobs');
    expect(listIn(listed.json, 'jobs')).toMatchObject([{ jobId: 'j' }]);
    const logs = await call(service, 'GET', jobPath(service, 'j', '/logs'));
    expect(listIn(logs.json, 'logs').length).toBeGreaterThan(3);
  });
});

test('a workflow that fails ends its job with an error and no output', async () => {
  await uploadSamples('b');
  const body = JSON.stringify(jobBody(service, 'b')).replace('count-things', 'always-fails');
  await startJob('j', JSON.parse(body));
  await finish();
  expect(await statusOf('j')).toMatchObject({
    isTerminal: true,
    error: true,
    currentStage: 'processing',
  });
  expect(service.state.batch('j-export')).toBeNull();
});

async function outputs(batchId: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const part of listIn(
    (await call(service, 'GET', batchPath(service, batchId, 'parts'))).json,
    'batchParts',
  )) {
    const partName = textIn(part, 'partName');
    const { json } = await call(service, 'GET', batchPath(service, batchId, 'list'), {
      query: { partName },
    });
    for (const file of listIn(json, 'filesMetadata'))
      found.set(
        `${partName}/${textIn(file, 'fileName')}`,
        (await send('GET', textIn(file, 'downloadURL'))).bytes,
      );
  }
  return found;
}

async function members(archive: Buffer): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const extract = tar.extract();
  Readable.from([gunzipSync(archive)]).pipe(extract);
  for await (const entry of extract) found.set(entry.header.name, await text(entry));
  return found;
}

describe('outputs', () => {
  test('say what was uploaded: digests, sizes, pixels; member names repeat between archives', async () => {
    await uploadSamples('b');
    await startJob('j', jobBody(service, 'b'));
    await finish();
    const files = await outputs('j-export');
    expect([...files.keys()]).toEqual([
      'exported_data/shard-0.tar.gz',
      'exported_data/shard-1.tar.gz',
      'summary/summary.csv',
    ]);
    const first = await members(files.get('exported_data/shard-0.tar.gz') ?? Buffer.alloc(0));
    const second = await members(files.get('exported_data/shard-1.tar.gz') ?? Buffer.alloc(0));
    expect([...first.keys()]).toEqual(['results.jsonl', 'annotated/0.json', 'annotated/1.json']);
    expect([...second.keys()]).toEqual(['results.jsonl', 'annotated/0.json']);
    expect(first.get('annotated/0.json')).not.toBe(second.get('annotated/0.json'));
    const cup = await sample('alphaPng');
    const digest = createHash('sha256').update(cup).digest('hex');
    const summary = files.get('summary/summary.csv')?.toString('utf8').split('\n') ?? [];
    expect(summary).toHaveLength(5);
    const { width, height } =
      service.state.objects('b').find(({ name }) => name === 'cup.png') ?? {};
    expect(summary[1]).toMatch(`cup.png,${digest},${cup.length},${width},${height},`);
    expect([...(await outputs('j-processing')).keys()]).toEqual([
      'raw_results/results-0.jsonl',
      'raw_results/results-1.jsonl',
    ]);
  });

  test('are the same bytes for the same images, in whatever order and batch they came', async () => {
    await uploadSamples('b');
    const members = [];
    for (const [name, which] of [
      ['web.webp', 'webp'],
      ['cup.png', 'alphaPng'],
      ['frame.jpg', 'jpeg'],
    ] as const)
      members.push({ name, content: await sample(which) });
    await put(await registerShard(service, 'c'), await tarOf(members));
    await service.clock.advance(1000);
    await startJob('j1', jobBody(service, 'b'));
    await startJob('j2', jobBody(service, 'c'));
    await finish();
    expect(await outputs('j2-export')).toEqual(await outputs('j1-export'));
  });

  test('of videos have a line for each', async () => {
    await put(await registerVideo(service, 'v', 'a.mp4'), await sample('mp4'));
    await startJob('j', jobBody(service, 'v', { type: 'simple-video-processing-v1' }));
    await finish();
    expect((await outputs('j-export')).get('summary/summary.csv')?.toString()).toMatch(/^a\.mp4,/m);
  });
});

describe('webhooks', () => {
  interface Received {
    readonly authorization: string | undefined;
    readonly body: unknown;
  }
  const received: Received[] = [];
  let answerWith = 200;
  const receiver = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      received.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
      response.writeHead(answerWith).end();
    });
  });
  let url = '';
  beforeEach(async () => {
    received.length = 0;
    answerWith = 200;
    url = `http://127.0.0.1:${await portOf(receiver)}/hook`;
  });
  afterEach(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  test('of an ingest come when a shard holds their address: files first, then the ingest', async () => {
    const config = { ingestId: 'i1', notificationsURL: url };
    const archive = await tarOf([
      { name: 'a.png', content: tinyPng(1) },
      { name: 'bad.png', content: Buffer.from('x') },
      { name: 'notification_config.json', content: Buffer.from(JSON.stringify(config)) },
    ]);
    await put(await registerShard(service, 'b'), archive);
    await service.clock.advance(1000);
    expect(received.map(({ authorization }) => authorization)).toEqual([
      'Bearer rf_demo',
      'Bearer rf_demo',
    ]);
    const common = { ingest_id: 'i1', batch_id: 'b', delivery_attempt: 1 };
    expect(received.map(({ body }) => body)).toMatchObject([
      {
        ...common,
        notification: {
          type: 'ingest-files-status-notification-v1',
          success: false,
          ingested_files: ['a.png'],
          failed_files: [{ file_name: 'bad.png' }],
        },
      },
      { ...common, notification: { type: 'ingest-status-notification-v1', success: true } },
    ]);
    expect(service.state.objects('b').map(({ name }) => name)).toEqual(['a.png']);
  });

  test('of a job come at its end, again when refused, and twice when so set', async () => {
    await uploadSamples('b');
    answerWith = 500;
    await startJob('j', jobBody(service, 'b', { notificationsURL: url }));
    await finish();
    await service.clock.advance(10_000);
    expect(
      received.map(({ body }) => [
        dig(body, 'job_id'),
        dig(body, 'job_state'),
        dig(body, 'delivery_attempt'),
      ]),
    ).toEqual([
      ['j', 'success', 1],
      ['j', 'success', 2],
      ['j', 'success', 3],
    ]);
    expect(new Set(received.map(({ body }) => dig(body, 'event_id'))).size).toBe(1);
    received.length = 0;
    answerWith = 200;
    service.state.settings.webhooks = 'twice';
    await startJob('k', jobBody(service, 'b', { notificationsURL: url }));
    await finish();
    await service.clock.advance(10_000);
    expect(received).toHaveLength(2);
  });
});
