/** `sluice run`: the whole pipeline. One job for each batch, whatever happens on the way, and its outputs byte for byte. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import tar from 'tar-stream';
import { describe, expect, test } from 'vitest';
import type { PipelineTimes } from '../../main/engine/core/limits.ts';
import { sample } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { startCli, untilRequest } from './childCli.ts';
import { sha256 } from './localFiles.ts';
import { fastClock, stallAfter, type Wrap } from './ports.ts';
import { createRandom, seedOfRun } from './random.ts';
import { createWorld, type Finished, type World } from './world.ts';

const SERVICE = { settings: { indexingMs: 10, queueMs: 10, stageMs: 60, exportShardSize: 7 } };
const START = /\/batch-processing\/v1\/external\/[^/]+\/jobs\/[^/]+$/;

async function prepare(finished: Finished, images = 20, times: Partial<PipelineTimes> = {}) {
  const world = await createWorld({ service: SERVICE, times }, finished);
  await world.local.writeImages(images);
  const to = join(world.directory, 'results');
  const args = ['run', world.local.root, '--batch', 'line', '--workflow', 'count', '--to', to];
  return { world, to, args };
}

type Scene = Awaited<ReturnType<typeof prepare>>;

/** Path under the directory → SHA-256, without the manifest. */
async function treeOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'manifest.json');
  const found = new Map<string, string>();
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    found.set(relative(directory, path), sha256(await readFile(path)));
  }
  return found;
}

/** What the export of a job offers, as it must appear under the directory. */
function offered(world: World, jobId: string): ReadonlyMap<string, string> {
  return new Map(
    world.service.state
      .objects(`${jobId}-export`)
      .map((object) => [join(object.partName ?? 'files', object.name), object.sha256]),
  );
}

function onlyJob(world: World): string {
  const jobs = [...world.service.state.jobs.values()];
  expect(
    jobs.map(({ runs }) => runs),
    'one job, run once',
  ).toEqual([1]);
  return jobs[0]?.jobId ?? '';
}

async function expectResults({ world, to }: Scene): Promise<void> {
  const jobId = onlyJob(world);
  const there = await treeOf(to);
  expect(new Map([...there].sort())).toEqual(new Map([...offered(world, jobId)].sort()));
  expect(there.size).toBeGreaterThan(1);
  await world.expectExactlyOnce({ allConfirmed: true });
  await world.expectNoSecrets();
}

describe('the whole pipeline', () => {
  test.concurrent('brings the results of one job, and a second time does nothing', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished);
    const first = await scene.world.succeeds(scene.args);
    const processed = { event: 'processed', job: expect.any(String), succeeded: true };
    expect(first.events).toContainEqual(expect.objectContaining(processed));
    const names = first.events.map(({ event }) => event);
    expect(names.filter((name) => name === 'downloaded' || name === 'summary')).toEqual([
      'downloaded',
      'summary',
    ]);
    await expectResults(scene);
    scene.world.service.log.clear();
    const again = await scene.world.succeeds([...scene.args, '--verbose']);
    expect(again.stderr).toMatch(/Job \S+ has processed batch line already\./);
    expect(again.stderr).toContain('nothing was sent this time.');
    expect(scene.world.requestCount('*', /\/upload\/|\/bulk-upload\//)).toBe(0);
    expect(scene.world.requestCount('POST', START)).toBe(0);
    expect(scene.world.requestCount('GET', /\/storage\/objects/)).toBe(0);
    await expectResults(scene);
  });

  test.concurrent('says that another computer still sends into the batch', async ({
    onTestFinished,
  }) => {
    const { world, args } = await prepare(onTestFinished, 40, { orphanShardMs: 900_000 });
    const told = 'Batch line is still taking in 1 archive of another computer';
    const path = '/data-staging/v1/external/demo/batches/line/bulk-upload/image-files';
    const address = `${world.service.url}${path}?api_key=${world.service.apiKey}`;
    let joins: Promise<unknown> | null = null;
    const other: Wrap = (ports) => ({
      ...ports,
      http: {
        ...ports.http,
        request: async (request) => {
          // Registered when ours is sent, and not sent yet when the job starts.
          if (request.method === 'PUT') await (joins ??= fetch(address, { method: 'POST' }));
          return ports.http.request(request);
        },
      },
    });
    expect((await world.succeeds(args, [other])).stderr).toContain(told);
  });

  const part = { notification: 'x', progress: '0.5', eventTimestamp: null };
  const odd = (answer: unknown): Fault => ({ kind: 'wrongJson', text: JSON.stringify(answer) });
  test.concurrent.for<readonly [string, RegExp, Fault]>([
    ['its tasks are never listed', /\/tasks$/, { kind: 'status', status: 500 }],
    ['its stages are never listed', /\/stages$/, { kind: 'status', status: 500 }],
    ['its tasks are odd', /\/tasks$/, odd({ tasks: [{ taskId: null, ...part }] })],
    ['its stages are odd', /\/stages$/, odd({ stages: [{ processingStageId: 's', ...part }] })],
  ])('brings the results of a job although %s', async ([, path, fault], { onTestFinished }) => {
    const scene = await prepare(onTestFinished, 4);
    scene.world.service.faults.always('GET', path, fault);
    await scene.world.succeeds(scene.args, [fastClock(50)]);
    await expectResults(scene);
  });

  test.concurrent('unpacks archives whose members have equal names, both whole', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished);
    const { world, to } = scene;
    await world.succeeds([...scene.args, '--unpack']);
    const jobId = onlyJob(world);
    const wanted = new Map<string, string>(offered(world, jobId));
    let archives = 0;
    for (const object of world.service.state.objects(`${jobId}-export`)) {
      if (!object.name.endsWith('.tar.gz')) continue;
      archives += 1;
      const extract = Readable.from(gunzipSync(await world.service.bytes(object.objectId))).pipe(
        tar.extract(),
      );
      for await (const entry of extract) {
        const directory = object.name.replace(/\.tar\.gz$/, '');
        const path = join(object.partName ?? 'files', directory, entry.header.name);
        wanted.set(path, sha256(await buffer(entry)));
      }
    }
    expect(archives).toBe(3);
    expect(new Map([...(await treeOf(to))].sort())).toEqual(new Map([...wanted].sort()));
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('of images and videos runs a job for each, and keeps their results apart', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 4);
    const { world, to } = scene;
    await world.local.write('clip.mp4', await sample('mp4'));
    await world.local.remember();
    await world.succeeds(scene.args);
    const jobs = [...world.service.state.jobs.values()];
    expect(jobs.map(({ inputBatchId, kind }) => [inputBatchId, kind]).sort()).toEqual([
      ['line', 'image'],
      ['line-videos', 'video'],
    ]);
    const wanted = jobs.flatMap((job) =>
      [...offered(world, job.jobId)].map(
        ([path, hash]) => [job.kind === 'video' ? join('line-videos', path) : path, hash] as const,
      ),
    );
    expect(new Map([...(await treeOf(to))].sort())).toEqual(new Map(wanted.sort()));
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('new files after the job go to the next generation, with a job of their own', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const { world } = scene;
    await world.succeeds(scene.args);
    await world.local.writeImages(6);
    await world.succeeds(scene.args);
    expect(world.service.state.objects('line')).toHaveLength(3);
    expect(world.service.state.objects('line-2')).toHaveLength(3);
    const jobs = [...world.service.state.jobs.values()];
    expect(jobs.map(({ inputBatchId, runs }) => [inputBatchId, runs])).toEqual([
      ['line', 1],
      ['line-2', 1],
    ]);
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

const DOUBTS: readonly (readonly [string, Fault])[] = [
  ['an answer that is lost', { kind: 'doneButAnswerLost' }],
  ['a reset', { kind: 'cutWhileReceiving', afterBytes: 0 }],
  ['a start that comes later', { kind: 'lateCommit', afterMs: 200 }],
  ['silence though it was done', { kind: 'hang', acted: true }],
  ['silence', { kind: 'hang' }],
  ['500', { kind: 'status', status: 500 }],
  ['502 though it was done', { kind: 'wrongJson', text: '', status: 502, acted: true }],
  ['503', { kind: 'status', status: 503, retryAfter: 0.1 }],
  ['429', { kind: 'status', status: 429 }],
  ['409 while the batch is still being taken in', { kind: 'status', status: 409 }],
  ['a page of HTML', { kind: 'wrongJson', text: '<html>', acted: true }],
  ['a page of HTML instead of a start', { kind: 'wrongJson', text: '<html>' }],
];

describe('the start of a job', () => {
  test.concurrent.for(DOUBTS)(
    'survives %s: it runs once',
    async ([, fault], { onTestFinished }) => {
      const scene = await prepare(onTestFinished, 6);
      scene.world.service.faults.next('POST', START, fault);
      await scene.world.succeeds(scene.args, [stallAfter(400), fastClock(10)]);
      await expectResults(scene);
    },
  );

  test.concurrent('repeats only the same body under the same id', async ({ onTestFinished }) => {
    const scene = await prepare(onTestFinished, 3);
    const { faults, state } = scene.world.service;
    faults.next('POST', START, { kind: 'status', status: 500 }, 3);
    await scene.world.succeeds(scene.args, [fastClock(10)]);
    const starts = scene.world.service.log.find('POST', START);
    expect(starts).toHaveLength(4);
    expect(new Set(starts.map(({ path }) => path)).size).toBe(1);
    expect(state.jobs.size).toBe(1);
  });

  test.concurrent('that the service refuses needs a person; after the fix, the same command continues', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const refusal = { kind: 'status', status: 400, body: { error: 'no such workflow' } } as const;
    scene.world.service.faults.next('POST', START, refusal);
    const first = await scene.world.cli(scene.args);
    expect(first.exitCode).toBe(3);
    expect(first.stdout).toContain('no such workflow');
    expect(scene.world.service.state.jobs.size).toBe(0);
    await scene.world.succeeds(scene.args);
    await expectResults(scene);
  });

  test.concurrent('of a job that failed is tried once more by the same command, and said', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const { state } = scene.world.service;
    const args = scene.args.map((word) => (word === 'count' ? 'always-fails' : word));
    const first = await scene.world.cli(args);
    const [id = ''] = state.jobs.keys();
    expect(first.exitCode).toBe(3);
    expect(first.stderr).toContain('The same command starts a new job.');
    const second = await scene.world.cli(args);
    expect(second.exitCode).toBe(3);
    expect(second.stderr).toContain(`Job ${id} failed. A new job is started.`);
    expect([...state.jobs.values()].map(({ runs }) => runs)).toEqual([1, 1]);
  });

  test.concurrent('of a job that failed and was restarted elsewhere is followed, without a second job', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const { faults, state } = scene.world.service;
    const status = /\/jobs\/[^/]+$/;
    const failed = { jobId: 'x', isTerminal: true, error: true, createdAt: 1, lastUpdate: 1 };
    const text = JSON.stringify({ job: failed });
    faults.always('GET', status, { kind: 'wrongJson', text });
    expect((await scene.world.cli(scene.args)).exitCode).toBe(3);
    faults.clear();
    faults.next('GET', status, { kind: 'status', status: 503 });
    await scene.world.succeeds(scene.args);
    expect(state.jobs.size).toBe(1);
    await expectResults(scene);
  });

  test.concurrent('of a job that was aborted while nothing followed it starts a new one', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const { faults, state } = scene.world.service;
    const status = /\/jobs\/[^/]+$/;
    const shown = (isOver: boolean): Fault => {
      const job = { jobId: 'x', isTerminal: isOver, error: isOver, createdAt: 1, lastUpdate: 1 };
      return { kind: 'wrongJson', text: JSON.stringify({ job }) };
    };
    faults.always('GET', status, shown(false));
    const child = startCli(scene.world, scene.args);
    await untilRequest(child, () => scene.world.requestCount('GET', /\/stages/) > 0);
    child.process.kill('SIGINT');
    await child.ended;
    const id = onlyJob(scene.world);
    faults.next('POST', /\/abort$/, { kind: 'wrongJson', text: '{"status":"ok"}' });
    await scene.world.succeeds(['job', 'abort', id]);
    faults.clear();
    faults.next('GET', status, shown(true));
    const again = await scene.world.succeeds(scene.args);
    expect(again.stderr).toContain(`Job ${id} was aborted. A new job is started.`);
    expect(state.jobs.size).toBe(2);
  });

  test.concurrent('with another workflow in between does not start the first job again', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const other = scene.args.map((word) => (word === 'count' ? 'track' : word));
    await scene.world.succeeds(scene.args);
    await scene.world.succeeds(other);
    await scene.world.succeeds(scene.args);
    expect([...scene.world.service.state.jobs.values()].map(({ runs }) => runs)).toEqual([1, 1]);
  });
});

const ABSENT: Fault = { kind: 'status', status: 404, body: { error: 'not found' } };
const RESULTS = /-export\/(parts|list)$/;

describe('a job that is started here', () => {
  test.concurrent('and not known to the service is started again, by the same command, too', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    const { faults, state, log } = scene.world.service;
    faults.always('POST', START, { kind: 'wrongJson', text: '<html>' });
    const first = await scene.world.cli(scene.args, [fastClock(100)]);
    expect(first.exitCode).not.toBe(0);
    expect(state.jobs.size).toBe(0);
    const before = log.find('POST', START).length;
    expect(before).toBeGreaterThan(1);
    faults.clear();
    await scene.world.succeeds(scene.args, [fastClock(10)]);
    const paths = log.find('POST', START).map(({ path }) => path);
    expect(new Set(paths).size, 'one id').toBe(1);
    await expectResults(scene);
  });

  test.concurrent.for([400, 401, 403, 422, 500])(
    'is followed on after %i on questions about it',
    async (status, { onTestFinished }) => {
      const scene = await prepare(onTestFinished, 3);
      const odd: Fault = { kind: 'status', status, body: { error: 'odd' } };
      scene.world.service.faults.next('GET', /\/jobs\/[^/]+(\/stages)?$/, odd, 4);
      await scene.world.succeeds(scene.args);
      await expectResults(scene);
    },
  );
});

describe('results', () => {
  test.concurrent('that are listed only later are waited for', async ({ onTestFinished }) => {
    const scene = await prepare(onTestFinished, 3, { resultsPatienceMs: 60_000 });
    scene.world.service.faults.next('GET', RESULTS, ABSENT, 8);
    await scene.world.succeeds(scene.args);
    await expectResults(scene);
  });

  test.concurrent('that are never listed end with 3, and the same command goes on', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    scene.world.service.faults.always('GET', RESULTS, ABSENT);
    const first = await scene.world.cli(scene.args);
    expect(first.exitCode).toBe(3);
    expect(first.stdout).toContain('results.incomplete');
    scene.world.service.faults.clear();
    await scene.world.succeeds(scene.args);
    await expectResults(scene);
  });

  test.concurrent('whose list stays empty end `batch download` with 3 as well', async ({
    onTestFinished,
  }) => {
    const scene = await prepare(onTestFinished, 3);
    await scene.world.succeeds(scene.args);
    const batch = `${onlyJob(scene.world)}-export`;
    const to = join(scene.world.directory, 'elsewhere');
    const args = ['batch', 'download', batch, '--to', to];
    const { faults } = scene.world.service;
    const empty: Fault = { kind: 'wrongJson', text: '{"filesMetadata":[]}' };
    faults.always('GET', /-export\/list$/, empty);
    const ended = await scene.world.cli(args);
    expect(ended.exitCode).toBe(3);
    expect(ended.stdout).toContain('results.incomplete');
    faults.clear();
    faults.next('GET', /-export\/list$/, empty);
    await scene.world.succeeds(args);
    expect((await treeOf(to)).size).toBe(offered(scene.world, onlyJob(scene.world)).size);
  });
});

describe('killed', () => {
  const seed = seedOfRun();
  const MOMENTS: readonly (readonly [string, string, RegExp])[] = [
    ['as the job starts', 'POST', START],
    ['as the job is followed', 'GET', /\/stages/],
    ['as the results are listed', 'GET', /-export\/(parts|list)/],
    ['as the results come', 'GET', /\/storage\/objects/],
  ];
  test.concurrent.for(MOMENTS)(
    `%s, again and again (SLUICE_SEED=${seed})`,
    async ([, method, path], { onTestFinished }) => {
      const random = createRandom(seed);
      const scene = await prepare(onTestFinished, 12);
      const { world } = scene;
      world.service.faults.always('GET', /\/storage\/objects/, {
        kind: 'slow',
        bytesPerSecond: 20_000,
      });
      const args = [...scene.args, '--unpack', '--json'];
      for (let kill = 0; kill < 3; kill += 1) {
        const before = world.requestCount(method, path);
        const child = startCli(world, args);
        const wanted = before + 1 + (kill === 0 ? 0 : random.whole(0, 2));
        await untilRequest(child, () => world.requestCount(method, path) >= wanted);
        child.process.kill('SIGKILL');
        await child.ended;
      }
      world.service.faults.clear();
      const { exitCode, stderr } = await startCli(world, args).ended;
      expect(exitCode, stderr).toBe(0);
      const jobId = onlyJob(world);
      const there = await treeOf(scene.to);
      for (const [name, hash] of offered(world, jobId)) expect(there.get(name), name).toBe(hash);
      expect([...there.keys()].filter((name) => /\.part$|\.unpacking$/.test(name))).toEqual([]);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});
