/**
 * What a service must do for Sluice to work with it: run on the reference service always, and on a live one when
 * SLUICE_LIVE_URL, SLUICE_LIVE_KEY and SLUICE_LIVE_WORKSPACE are set (then in a separate batch, and nothing else is started
 * or changed). SLUICE_LIVE_PROJECT adds the reads on a project.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample, tinyJpeg, tinyPng } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import {
  createReferenceService,
  type ReferenceService,
  type ServiceOptions,
} from './referenceService.ts';
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
  type Target,
} from './testRequests.ts';

interface Subject {
  readonly name: string;
  readonly isLive: boolean;
  readonly project: string | null;
  readonly open: () => Promise<{ readonly target: Target; readonly close: () => Promise<void> }>;
}

function reference(name: string, options: ServiceOptions): Subject {
  const settings = { indexingMs: 1, queueMs: 1, stageMs: 4 };
  const open = async () => {
    const service: ReferenceService = await createReferenceService({ ...options, settings });
    return { target: service, close: service.close };
  };
  return { name, isLive: false, project: 'bottle-caps', open };
}

function live(): readonly Subject[] {
  const {
    SLUICE_LIVE_URL: url,
    SLUICE_LIVE_KEY: apiKey,
    SLUICE_LIVE_WORKSPACE: workspace,
  } = process.env;
  if (url === undefined || apiKey === undefined || workspace === undefined) return [];
  const target = { url: url.replace(/\/$/, ''), apiKey, workspace };
  const open = () => Promise.resolve({ target, close: () => Promise.resolve() });
  return [
    {
      name: 'live service',
      isLive: true,
      project: process.env['SLUICE_LIVE_PROJECT'] ?? null,
      open,
    },
  ];
}

const SUBJECTS = [
  reference('reference service', {}),
  reference('reference service, live dialect', { dialect: 'live' }),
  reference('reference service, specification only', { specOnly: true }),
  ...live(),
];

/** ISO 8601 with a time zone: a time without one cannot be compared with now. */
const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

describe.each(SUBJECTS)('$name', ({ isLive, project, open }) => {
  let target: Target;
  let close: () => Promise<void>;
  const stamp = Date.now().toString(36);
  const single = `sluice-conf-${stamp}-single`;
  const bulk = `sluice-conf-${stamp}-bulk`;
  const videos = `sluice-conf-${stamp}-video`;

  beforeAll(async () => {
    ({ target, close } = await open());
  });
  afterAll(() => close());

  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    call(target, 'GET', path, { query });

  /** Asks again until the answer is as wanted: background work of a service has no guaranteed duration. */
  async function eventually(wanted: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await wanted()) return;
      await pause(isLive ? 2000 : 2);
    }
    throw new Error('it never came to that');
  }

  const countOf = async (batchId: string): Promise<unknown> =>
    dig((await get(batchPath(target, batchId, 'count'))).json, 'count');

  test('refuses a wrong key with 401', async () => {
    const path = batchPath(target, single, 'count');
    expect((await call(target, 'GET', path, { key: 'no-such-key' })).status).toBe(401);
  });

  test('knows nothing of a batch or a job that never was', async () => {
    const count = await get(batchPath(target, `${single}-never`, 'count'));
    expect(count.status === 404 || dig(count.json, 'count') === 0).toBe(true);
    expect((await get(jobPath(target, `never-${stamp}`))).status).toBe(404);
  });

  test('accepts single images, counts them and returns them under their names', async () => {
    const contents = [await sample('jpeg'), await sample('alphaPng')];
    for (const [index, content] of contents.entries()) {
      const name = index === 0 ? 'frame one.jpg' : 'cup №2.png';
      expect((await uploadImage(target, single, name, content)).status).toBe(200);
    }
    await eventually(async () => (await countOf(single)) === 2);
    const { json } = await get(batchPath(target, single, 'list'));
    const files = listIn(json, 'filesMetadata');
    expect(files.map((file) => dig(file, 'fileName')).toSorted()).toEqual([
      'cup №2.png',
      'frame one.jpg',
    ]);
    const frame = files.find((file) => dig(file, 'fileName') === 'frame one.jpg');
    const fetched = await send('GET', textIn(frame, 'downloadURL'));
    expect(fetched.bytes.equals(contents[0] ?? Buffer.alloc(0))).toBe(true);
  });

  test('accepts a shard by signed PUT and reports its indexing', async () => {
    const to = await registerShard(target, bulk);
    const archive = await tarOf([
      { name: 'a.jpg', content: tinyJpeg(1) },
      { name: 'b.png', content: tinyPng(2) },
    ]);
    expect((await put(to, archive)).status).toBeLessThan(400);
    await eventually(async () => (await countOf(bulk)) === 2);
    const { json } = await get(batchPath(target, bulk, 'shards'));
    const [shard] = listIn(json, 'shards');
    expect(textIn(shard, 'shardId')).not.toBe('');
    expect(textIn(shard, 'statusType')).toMatch(/info|success/);
    expect(textIn(shard, 'eventTimestamp')).toMatch(ZONED);
    expect(typeof dig(shard, 'shardObjectsCount')).toBe('number');
  });

  test('lists page by page, each file once, and ends', async () => {
    const names: unknown[] = [];
    let token: unknown = null;
    for (let pages = 0; pages < 10; pages += 1) {
      const more = typeof token === 'string' ? { nextPageToken: token } : {};
      const { json } = await get(batchPath(target, bulk, 'list'), { pageSize: '1', ...more });
      names.push(...listIn(json, 'filesMetadata').map((file) => dig(file, 'fileName')));
      token = dig(json, 'nextPageToken') ?? null;
      if (token === null) break;
    }
    expect(token).toBeNull();
    expect(names.toSorted()).toEqual(['a.jpg', 'b.png']);
  });

  test('takes a video by signed PUT', async () => {
    const to = await registerVideo(target, videos, 'conveyor.mp4');
    expect((await put(to, await sample('mp4'))).status).toBeLessThan(400);
    await eventually(async () => (await countOf(videos)) === 1);
  });

  test('answers parts for a batch that has none without failing', async () => {
    const reply = await get(batchPath(target, single, 'parts'));
    expect([200, 400, 404]).toContain(reply.status);
  });

  test.skipIf(isLive)(
    'runs a job to its end: status, stages, tasks, outputs by parts',
    async () => {
      const started = await call(target, 'POST', jobPath(target, 'conf'), {
        json: jobBody(target, bulk),
      });
      expect(started.status).toBe(200);
      const job = async () => dig((await get(jobPath(target, 'conf'))).json, 'job');
      await eventually(async () => dig(await job(), 'isTerminal') === true);
      expect(dig(await job(), 'error')).toBe(false);
      const stages = listIn((await get(jobPath(target, 'conf', '/stages'))).json, 'stages');
      expect(stages.map((stage) => dig(stage, 'processingStageName')).toSorted()).toEqual([
        'export',
        'processing',
      ]);
      for (const stage of stages) {
        const path = jobPath(target, 'conf', `/stages/${textIn(stage, 'processingStageId')}/tasks`);
        const tasks = listIn((await get(path)).json, 'tasks');
        expect(tasks.length).toBe(dig(stage, 'tasksNumber'));
      }
      const output = stages
        .map((stage) => dig(stage, 'outputBatches', 0))
        .find((id) => String(id).endsWith('export'));
      const parts = listIn(
        (await get(batchPath(target, String(output), 'parts'))).json,
        'batchParts',
      );
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) {
        const query = { partName: textIn(part, 'partName') };
        const files = listIn(
          (await get(batchPath(target, String(output), 'list'), query)).json,
          'filesMetadata',
        );
        for (const file of files)
          expect((await send('GET', textIn(file, 'downloadURL'))).status).toBe(200);
      }
    },
  );

  test.skipIf(isLive)('starts the same job once, and refuses another under its id', async () => {
    const path = jobPath(target, 'conf');
    expect((await call(target, 'POST', path, { json: jobBody(target, bulk) })).status).toBe(200);
    const other = jobBody(target, bulk, { maxParallelTasks: 3 });
    expect((await call(target, 'POST', path, { json: other })).status).toBe(409);
  });

  test('lists folders in one of the two spellings', async () => {
    const { workspace } = target;
    const replies = [await get(`/${workspace}/folders`), await get(`/${workspace}/groups`)];
    const good = replies.find(({ status }) => status === 200);
    if (good === undefined) expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    else expect(Array.isArray(dig(good.json, 'data') ?? dig(good.json, 'groups'))).toBe(true);
  });

  test.skipIf(project === null)(
    'reads image batches, annotation jobs and insights of a project',
    async () => {
      const { workspace } = target;
      const batches = await get(`/${workspace}/${project}/batches`);
      expect(Array.isArray(dig(batches.json, 'batches'))).toBe(true);
      const jobs = await get(`/${workspace}/${project}/jobs`);
      expect(Array.isArray(dig(jobs.json, 'jobs'))).toBe(true);
      const period = { startDate: '2023-08-01', endDate: '2099-01-01' };
      const spec = await get(`/${workspace}/${project}/annotationInsights`, period);
      const other = await get(`/${workspace}/stats`, { ...period, project: project ?? '' });
      expect([spec.status, other.status].toSorted()).toEqual([200, 404]);
    },
  );
});
