/** Jobs and results of a watch when the service answers oddly: nothing is given up silently, and nothing missing counts as downloaded. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../main/engine/core/errors.ts';
import { readWaits } from '../../main/engine/status/waits.ts';
import { downloadBatch } from '../../main/engine/jobs/downloads.ts';
import { jobsOf } from '../../main/engine/jobs/jobs.ts';
import type { AutoJobEvent } from '../../main/engine/jobs/autoJobEvents.ts';
import { parkedOutputs } from '../helpers/parkedOutputs.ts';
import type { Fault } from '../service/faults.ts';
import { contentsBelow } from './localFiles.ts';
import { filesWith } from './ports.ts';
import { type WatchedWorld, watchWorld } from './watchWorld.ts';
import { expectOutputs, loopRule, writeFrames } from './wholeLoop.ts';
import { createWorld, type World } from './world.ts';

const SERVICE = { settings: { indexingMs: 10, queueMs: 10, stageMs: 40, exportShardSize: 3 } };
const FILES = 8;
const START = /\/jobs\/[^/]+$/;
const RESULTS = /-export\/(parts|list)$/;
const STORAGE = /^\/storage\/objects/;
const EMPTY: Fault = { kind: 'wrongJson', text: '{"status":"ok","filesMetadata":[]}' };
const ABSENT: Fault = { kind: 'status', status: 404, body: { error: 'not found' } };
const REFUSED: Fault = { kind: 'status', status: 422, body: { error: 'no' } };
const PAGE: Fault = { kind: 'wrongJson', text: '<html>', contentType: 'text/html' };

async function scene(runnerTimes = {}): Promise<{ world: World; watched: WatchedWorld }> {
  const world = await createWorld({ service: SERVICE });
  const watched = await watchWorld(world, { rule: loopRule(world), runnerTimes });
  return { world, watched };
}

const kinds = (news: readonly AutoJobEvent[]): readonly string[] => news.map(({ kind }) => kind);

const isFetched = ({ store }: WatchedWorld): boolean =>
  store.get('SELECT 1 AS done FROM jobs WHERE fetched = 1') !== null;

/** The results come by themselves, and are whole. */
async function expectDownloaded(world: World, watched: WatchedWorld): Promise<void> {
  await watched.until(() => isFetched(watched));
  await watched.stop();
  await expectResults(world);
}

/** The storage no longer has the file that is asked for first. */
function refuseOneFile(world: World): void {
  let refused: string | null = null;
  world.service.faults.choose((method, path) => {
    if (method !== 'GET' || !STORAGE.test(path)) return null;
    refused ??= path;
    return path === refused ? ABSENT : null;
  });
}

/** The job of a batch ran once, and its outputs are in the directory of the batch, and nothing else. */
async function expectResults(world: World, batch = 'line'): Promise<void> {
  const job = [...world.service.state.jobs.values()].find((one) => one.inputBatchId === batch);
  await expectOutputs(world, job, join(world.directory, 'results', batch));
}

describe('results', () => {
  test.each([
    ['are listed only later', RESULTS, ABSENT],
    ['have an empty list at first', /-export\/list$/, EMPTY],
  ] as const)(
    'that %s are fetched then, and what was uploaded is never taken for them',
    async (_, path, fault) => {
      const { world, watched } = await scene({ resultsPatienceMs: 60_000 });
      world.service.faults.next('GET', path, fault, 6);
      await writeFrames(world, 0, FILES);
      await watched.until(() => isFetched(watched));
      await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
      expect(kinds(watched.news)).toEqual(['started', 'ended', 'fetched']);
      await watched.stop();
      await expectResults(world);
    },
  );

  test('of which a file cannot be had are not fetched, say so, and are complete an hour later', async () => {
    const { world, watched } = await scene({ parkedAgainMs: 1_500 });
    refuseOneFile(world);
    await writeFrames(world, 0, FILES);
    await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
    expect(isFetched(watched)).toBe(false);
    expect(watched.news.at(-1)).toMatchObject({ kind: 'fetched', countParked: 1 });
    const [job] = jobsOf(watched.store, watched.running.pipeline.connectionId);
    expect(job?.lastCode).toBe('service.notFound');
    expect(parkedOutputs(watched.store, watched.running.pipeline.connectionId)).toMatchObject([
      { code: 'service.notFound', jobId: job?.jobId },
    ]);
    world.service.faults.clear();
    await watched.until(() => isFetched(watched));
    await watched.until(() => watched.news.filter(({ kind }) => kind === 'fetched').length === 2);
    expect(watched.news.at(-1)).toMatchObject({ kind: 'fetched', countParked: 0 });
    await watched.stop();
    await expectResults(world);
  });

  test('for a drive that does not answer are said to wait for it, and come once it answers', async () => {
    const world = await createWorld({ service: SERVICE });
    const silent = sluiceError('disk.missing', { said: '/results does not answer' });
    const drive = { answers: false };
    const wrap = filesWith((files) => ({
      mountOf: (path) =>
        drive.answers || !path.startsWith(join(world.directory, 'results'))
          ? files.mountOf(path)
          : Promise.resolve({ path, mount: null, silent }),
    }));
    const watched = await watchWorld(world, { rule: loopRule(world), wraps: [wrap] });
    await writeFrames(world, 0, FILES);
    const waits = () =>
      readWaits(watched.store, Date.now(), true).map(({ kind, code }) => [kind, code]);
    await expect.poll(waits, { timeout: 20_000 }).toContainEqual(['results', 'disk.missing']);
    drive.answers = true;
    await expectDownloaded(world, watched);
  });

  test('that were given up are fetched at once when a person asks', async () => {
    const { world, watched } = await scene();
    refuseOneFile(world);
    await writeFrames(world, 0, FILES);
    await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
    world.service.faults.clear();
    const { connectionId } = watched.running.pipeline;
    expect(parkedOutputs(watched.store, connectionId)).toHaveLength(1);
    watched.watching.retryOutputs(true);
    await watched.until(() => isFetched(watched));
    expect(parkedOutputs(watched.store, connectionId)).toEqual([]);
    await watched.stop();
    await expectResults(world);
  });

  test('that take long delay no other job, and a stop aborts them', async () => {
    const { world, watched } = await scene();
    world.service.faults.always('GET', STORAGE, { kind: 'slow', bytesPerSecond: 1 });
    await writeFrames(world, 0, 4);
    await watched.until(() => world.requestCount('GET', STORAGE) > 0);
    await writeFrames(world, 4, 3);
    await watched.until(() => kinds(watched.news).filter((kind) => kind === 'ended').length === 2);
    expect(kinds(watched.news)).toEqual(['started', 'ended', 'started', 'ended']);
    await watched.stop();
    world.service.faults.clear();
    const again = await watchWorld(world);
    await again.until(() => again.store.all('SELECT id FROM jobs WHERE fetched = 1').length === 2);
    await again.stop();
    await expectResults(world, 'line');
    await expectResults(world, 'line-2');
  });

  test('that never come end `once` with something that a person should know', async () => {
    const world = await createWorld({ service: SERVICE });
    await writeFrames(world, 0, 3);
    world.service.faults.always('GET', RESULTS, ABSENT);
    const runnerTimes = { resultsPatienceMs: 300 };
    const watched = await watchWorld(world, { rule: loopRule(world), runnerTimes });
    expect((await watched.once()).end).toEqual({ kind: 'settled' });
    expect(watched.news.at(-1)).toMatchObject({
      kind: 'trouble',
      isLasting: true,
      error: { code: 'results.incomplete' },
    });
    expect(isFetched(watched)).toBe(false);
    await watched.stop();
    expect(await contentsBelow(join(world.directory, 'results', 'line'))).toEqual([]);
    world.service.faults.clear();
    const again = await watchWorld(world);
    expect((await again.once()).end).toEqual({ kind: 'settled' });
    expect(isFetched(again)).toBe(true);
    await again.stop();
    await expectResults(world);
  });
});

describe('files that were fetched without a job', () => {
  /** Uploads some images and fetches them into a directory; the first requested file cannot be fetched. */
  async function fetchOthers(runnerTimes = {}) {
    const world = await createWorld({ service: SERVICE });
    const rule = { ...loopRule(world), job: null, downloadTo: null };
    const watched = await watchWorld(world, { rule, runnerTimes });
    await writeFrames(world, 0, 4);
    await watched.until(
      () =>
        Object.values(watched.states())
          .join()
          .match(/^(confirmed,?){4}$/) !== null,
    );
    refuseOneFile(world);
    const { pipeline } = watched.running;
    const order = {
      batchId: 'line',
      target: join(world.directory, 'own'),
      part: null,
      unpack: false,
    };
    const fetch = () => downloadBatch(pipeline, order, pipeline.signal, () => undefined);
    const fetched = await fetch();
    expect(fetched).toMatchObject({ ok: true, value: { files: 3, parked: [{}] } });
    world.service.faults.clear();
    return { world, watched, fetch };
  }

  test('and could not be fetched are fetched an hour later', async () => {
    const { world, watched } = await fetchOthers({ parkedAgainMs: 400 });
    const { connectionId } = watched.running.pipeline;
    await watched.until(() => parkedOutputs(watched.store, connectionId).length === 0);
    await watched.until(
      () => watched.store.all(`SELECT id FROM outputs WHERE state = 'done'`).length === 4,
    );
    await watched.stop();
    expect(await readdir(join(world.directory, 'own/files'))).toHaveLength(4);
  });

  test('are fetched once, also when two ask for them at the same moment', async () => {
    const { world, watched, fetch } = await fetchOthers();
    world.service.log.clear();
    const both = await Promise.all([fetch(), fetch()]);
    for (const one of both)
      expect(one).toMatchObject({ ok: true, value: { files: 4, parked: [] } });
    expect(world.requestCount('GET', STORAGE)).toBe(1);
    await watched.stop();
  });
});

describe('a job', () => {
  test('whose start was answered with a page is started again under the same id', async () => {
    const { world, watched } = await scene({ jobMissingMs: 1_500 });
    world.service.faults.next('POST', START, PAGE);
    await writeFrames(world, 0, FILES);
    await expectDownloaded(world, watched);
    const starts = world.service.log.find('POST', START);
    expect(starts).toHaveLength(2);
    expect(new Set(starts.map(({ path }) => path)).size).toBe(1);
  });

  test('that the service forgets while it runs is started again, once per loss', async () => {
    const { world, watched } = await scene({ jobMissingMs: 1_500 });
    await writeFrames(world, 0, FILES);
    await watched.until(() => kinds(watched.news).includes('started'));
    world.service.state.jobs.clear();
    await expectDownloaded(world, watched);
    expect(world.service.log.find('POST', START)).toHaveLength(2);
  });

  test('that is not found for some seconds is not started twice', async () => {
    const { world, watched } = await scene();
    await writeFrames(world, 0, FILES);
    await watched.until(() => kinds(watched.news).includes('started'));
    world.service.faults.next('GET', START, ABSENT, 3);
    await expectDownloaded(world, watched);
    expect(world.service.log.find('POST', START)).toHaveLength(1);
  });

  test('that the service has lost is started again, once', async () => {
    const { world, watched } = await scene({ jobMissingMs: 1_500 });
    world.service.faults.next('POST', START, { kind: 'wrongJson', text: '{"status":"ok"}' });
    await writeFrames(world, 0, FILES);
    await expectDownloaded(world, watched);
    expect(world.service.log.find('POST', START)).toHaveLength(2);
  });

  test.each([400, 409, 422])('is not given up because asking for it answers %i', async (status) => {
    const { world, watched } = await scene();
    world.service.faults.next('POST', START, { kind: 'doneButAnswerLost' });
    const odd: Fault = { kind: 'status', status, body: { error: 'odd' } };
    world.service.faults.next('GET', START, odd, 3);
    await writeFrames(world, 0, FILES);
    await expectDownloaded(world, watched);
    expect(kinds(watched.news)).toEqual(['started', 'ended', 'fetched']);
  });

  test('that the service refused is tried again by itself, once an hour', async () => {
    const { world, watched } = await scene({ parkedAgainMs: 400 });
    world.service.faults.next('POST', START, REFUSED, 2);
    await writeFrames(world, 0, FILES);
    await expectDownloaded(world, watched);
    expect(kinds(watched.news)).toEqual(['trouble', 'trouble', 'started', 'ended', 'fetched']);
  });

  test('that the service refused is tried again when the program starts', async () => {
    const { world, watched } = await scene();
    world.service.faults.always('POST', START, REFUSED);
    await writeFrames(world, 0, FILES);
    await watched.until(() => kinds(watched.news).includes('trouble'));
    await watched.stop();
    world.service.faults.clear();
    const again = await watchWorld(world);
    await again.until(() => isFetched(again));
    await again.stop();
    await expectResults(world);
  });
});
