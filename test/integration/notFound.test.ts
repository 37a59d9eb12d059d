/** A 404 in JSON from a service that is up: nothing is held, given up or started twice because of it. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clipOf } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { fastClock } from './ports.ts';
import { createWorld, type Finished, type World } from './world.ts';

const ABSENT: Fault = { kind: 'status', status: 404, body: { error: 'Not found.' } };
const SERVICE = { settings: { indexingMs: 10, queueMs: 10, stageMs: 60 } };
const JOB = /\/batch-processing\/v1\/external\/[^/]+\/jobs\/[^/]+$/;

async function worldWith(images: number, videos: number, finished: Finished): Promise<World> {
  const world = await createWorld({ service: SERVICE }, finished);
  await world.local.writeImages(images);
  for (let clip = 0; clip < videos; clip += 1) {
    await world.local.write(`${clip}.mp4`, await clipOf(String(clip)));
  }
  await world.local.remember();
  return world;
}

describe('404 on sending', () => {
  const WAYS = [
    ['an image', 'single', 4, 0, /\/upload\/image/],
    ['the address of a shard', 'bulk', 40, 0, /\/bulk-upload/],
    ['the address of a video', 'single', 0, 2, /\/upload\/video/],
  ] as const;
  test.concurrent.for(WAYS)(
    '%s is tried again, and nothing is held',
    async ([, mode, images, videos, path], { onTestFinished }) => {
      const world = await worldWith(images, videos, onTestFinished);
      world.service.faults.next('POST', path, ABSENT, 9);
      const { end, tally } = await world.upload({ mode });
      expect(end.kind).toBe('settled');
      expect(tally).toMatchObject({ confirmed: images + videos, attention: 0 });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});

describe('404 about a job', () => {
  const args = (world: World): readonly string[] => {
    const to = join(world.directory, 'results');
    return ['run', world.local.root, '--batch', 'line', '--workflow', 'count', '--to', to];
  };
  const starts = (world: World): number => world.requestCount('POST', JOB);
  const runs = (world: World): readonly number[] =>
    [...world.service.state.jobs.values()].map((job) => job.runs);

  test.concurrent('on its start is tried again, and reported', async ({ onTestFinished }) => {
    const world = await worldWith(3, 0, onTestFinished);
    world.service.faults.next('POST', JOB, ABSENT, 5);
    const { stderr } = await world.succeeds(args(world));
    expect(stderr).toContain('Sluice tries again');
    expect(runs(world)).toEqual([1]);
  });

  test.concurrent('that stays ends the command with 3 after two minutes, and is shown', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(3, 0, onTestFinished);
    world.service.faults.always('POST', JOB, ABSENT);
    const { exitCode } = await world.cli(args(world), [fastClock(100)]);
    expect(exitCode).toBe(3);
    const jobs = await world.cli(['job', 'list']);
    expect(jobs.stdout).toMatch(
      /"jobs":\[\],"unstarted":\[\{"jobId":"sluice-\w+","batchId":"line"/,
    );
    const problems = await world.cli(['problems']);
    expect(problems.exitCode).toBe(3);
    expect(problems.stdout).toMatch(
      /Job \S+ has not started yet: the service does not know this \(batch line or the workflow\)\./,
    );
  });

  test.concurrent('over a batch that neither the service nor the ledger knows ends the start soon, and is kept', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(0, 0, onTestFinished);
    world.service.faults.always('POST', JOB, ABSENT);
    const start = ['job', 'start', 'auto', '--batch', 'mistyped', '--workflow', 'count'];
    const { exitCode, stderr } = await world.cli([...start, '--type', 'image']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('The service does not know this (batch mistyped).');
    expect(stderr).toMatch(/Job \S+ is kept: .* as soon as the service accepts it\./);
    expect(world.requestCount('POST', JOB)).toBe(2);
  });

  test.concurrent('on questions about it starts nothing twice', async ({ onTestFinished }) => {
    const world = await worldWith(3, 0, onTestFinished);
    world.service.faults.next('GET', JOB, ABSENT, 6);
    await world.succeeds(args(world), [fastClock(5)]);
    expect(starts(world)).toBe(1);
    expect(runs(world)).toEqual([1]);
  });
});

test('what ends an upload with 3 is shown by `problems`', async ({ onTestFinished }) => {
  const world = await worldWith(3, 0, onTestFinished);
  world.service.faults.always('POST', /\/upload\/image/, {
    kind: 'status',
    status: 405,
    body: { error: 'no' },
  });
  const upload = ['upload', world.local.root, '--batch', 'shelf'];
  expect((await world.cli(upload)).exitCode).toBe(3);
  const problems = await world.cli(['problems']);
  expect(problems.exitCode).toBe(3);
  expect(problems.stdout).toMatch(
    /Nothing is sent to batch shelf for now: the service refused this/,
  );
  world.service.faults.clear();
  await world.succeeds(upload);
  await world.succeeds(['problems']);
});
