/**
 * A watch runs the whole loop: files arrive, their batch is closed, a job starts once, its outputs come back. The
 * program is killed and the engine stopped at every point of it; the outcome is always the same.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jobsOf, retryJob } from '../../main/engine/jobs/jobs.ts';
import { type Child, startCli } from './childCli.ts';
import { until, watchScanned, watchWorld } from './watchWorld.ts';
import { expectOutputs, loopRule, writeFrames } from './wholeLoop.ts';
import { newKey } from './apiKey.ts';
import { createWorld, type World } from './world.ts';

const SERVICE = { settings: { indexingMs: 10, queueMs: 10, stageMs: 40, exportShardSize: 3 } };
const FILES = 8;

/** One job per batch, run once, and `results` contains exactly its outputs, byte for byte. */
async function expectLoopClosed(world: World, batches: readonly string[]): Promise<void> {
  const jobs = [...world.service.state.jobs.values()];
  expect(jobs.map((job) => job.inputBatchId).sort()).toEqual([...batches].sort());
  for (const job of jobs)
    await expectOutputs(world, job, join(world.directory, 'results', job.inputBatchId));
  await world.expectExactlyOnce({ allConfirmed: true });
}

/** Points at which a run is ended: the nth request of a kind, counted from the start of the world. */
const POINTS = [
  { name: 'before anything is asked', method: '*', path: /./, times: 1 },
  { name: 'with the first bytes', method: '*', path: /upload/, times: 1 },
  { name: 'with the bytes half gone', method: '*', path: /upload/, times: 4 },
  { name: 'while it is confirmed', method: 'GET', path: /batches\/line\/(count|list)/, times: 1 },
  { name: 'when the batch is closed', method: 'GET', path: /batches\/line\/shards/, times: 1 },
  { name: 'when the job starts', method: 'POST', path: /\/jobs?\//, times: 1 },
  { name: 'when the job is first asked about', method: 'GET', path: /\/jobs?\//, times: 2 },
  { name: 'while it runs', method: 'GET', path: /stages/, times: 3 },
  { name: 'when its outputs are listed', method: 'GET', path: /parts/, times: 1 },
  { name: 'while they are fetched', method: 'GET', path: /storage/, times: 2 },
] as const;

describe('the engine is stopped', () => {
  test('nothing stops it', async () => {
    const world = await createWorld({ service: SERVICE });
    const watched = await watchScanned(world, { rule: loopRule(world) });
    await writeFrames(world, 0, FILES);
    await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
    expect(watched.news.map(({ kind }) => kind)).toEqual(['started', 'ended', 'fetched']);
    await watched.stop();
    await expectLoopClosed(world, ['line']);
  });

  test.for(POINTS)('$name', async ({ method, path, times }) => {
    const world = await createWorld({ service: { ...SERVICE, latencyMs: 5 } });
    const mode = times === 4 ? 'single' : 'bulk';
    const first = await watchWorld(world, { rule: { ...loopRule(world), mode } });
    await first.until(() => first.following().scannedOnce());
    await writeFrames(world, 0, FILES);
    await first.until(() => world.requestCount(method, path) >= times);
    await first.stop();
    const second = await watchWorld(world);
    const fetched = (): boolean =>
      second.store.get('SELECT 1 AS done FROM jobs WHERE fetched = 1') !== null;
    await second.until(fetched);
    await second.stop();
    await expectLoopClosed(world, ['line']);
  });

  test('files that come after the batch was closed go to the next one, with a job of its own', async () => {
    const world = await createWorld({ service: SERVICE });
    const watched = await watchWorld(world, { rule: loopRule(world) });
    const fetched = (): number => watched.news.filter(({ kind }) => kind === 'fetched').length;
    await writeFrames(world, 0, 4);
    await watched.until(() => fetched() === 1);
    await writeFrames(world, 4, 3);
    await watched.until(() => fetched() === 2);
    await watched.stop();
    await expectLoopClosed(world, ['line', 'line-2']);
  });

  test('a job that the service refuses is reported once, `once` still ends, and a person can retry it', async () => {
    const world = await createWorld({ service: SERVICE });
    world.service.faults.always('POST', /\/jobs?\//, { kind: 'status', status: 400 });
    await writeFrames(world, 0, 3);
    const watched = await watchWorld(world, { rule: loopRule(world) });
    expect((await watched.once()).end).toEqual({ kind: 'settled' });
    expect(watched.news.map(({ kind }) => kind)).toEqual(['trouble']);
    const { pipeline } = watched.running;
    const jobs = (): readonly (string | null)[] =>
      jobsOf(pipeline.store, pipeline.connectionId).flatMap(({ state, lastCode }) => [
        state,
        lastCode,
      ]);
    expect(jobs()).toEqual(['parked', 'service.refused']);
    expect(retryJob(pipeline, 'nobody-knows-it')).toMatchObject({
      error: { code: 'service.notFound' },
    });

    world.service.faults.clear();
    const [job] = jobsOf(pipeline.store, pipeline.connectionId);
    expect(retryJob(pipeline, job?.jobId ?? '')).toEqual({ ok: true, value: null });
    expect(jobs()).toEqual(['starting', null]);
    // A job that is already in progress is left as it is.
    expect(retryJob(pipeline, job?.jobId ?? '')).toEqual({ ok: true, value: null });
    expect((await watched.once()).end).toEqual({ kind: 'settled' });
    expect(jobs()).toEqual(['succeeded', null]);
    await watched.stop();
    await expectLoopClosed(world, ['line']);
  });
});

describe('the program is killed', () => {
  function start(world: World): Child {
    return startCli(world, [
      ...['watch', world.local.root, '--batch', 'line', '--once', '--json', '--settle', '1'],
      ...['--mode', 'single', '--workflow', 'count-cups', '--to', join(world.directory, 'results')],
    ]);
  }

  test('again and again in transit', { timeout: 240_000 }, async () => {
    const world = await createWorld({ service: { ...SERVICE, apiKey: newKey(), latencyMs: 5 } });
    await writeFrames(world, 0, FILES);
    let landed = 0;
    // For a batch of single images, shards are not requested.
    const points = POINTS.filter(({ name }) => name !== 'when the batch is closed');
    for (const { method, path, times } of points) {
      const before = world.requestCount(method, path);
      const child = start(world);
      let over = false;
      void child.ended.then(() => (over = true));
      await until(() => over || world.requestCount(method, path) >= before + times);
      child.process.kill('SIGKILL');
      if ((await child.ended).exitCode === null) landed += 1;
    }
    expect(landed, 'most kills met a running program').toBeGreaterThan(5);
    const last = await start(world).ended;
    expect(last.exitCode, last.stderr).toBe(0);
    await expectLoopClosed(world, ['line']);
    await world.expectNoSecrets();
  });

  test('a failing workflow is reported, and the exit code asks for a person', async () => {
    const world = await createWorld({ service: SERVICE });
    await writeFrames(world, 0, 2);
    const end = await world.cli([
      ...['watch', world.local.root, '--batch', 'line', '--once', '--settle', '1'],
      ...['--workflow', 'always-fails'],
    ]);
    expect(end.exitCode, end.stderr).toBe(3);
    expect(end.events.filter(({ event }) => event === 'processed')).toEqual([
      expect.objectContaining({ succeeded: false }),
    ]);
    expect(end.events.at(-1)).toMatchObject({ event: 'summary', confirmed: 2 });
  });
});
