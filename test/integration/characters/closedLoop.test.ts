/** The whole loop with every character of the service: files arrive, their batch is closed, one job processes all of them, its outputs come back. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { tinyImages, tinyJpeg } from '../../helpers/media.ts';
import { startCli } from '../childCli.ts';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { contentsBelow } from '../localFiles.ts';
import { watchWorld } from '../watchWorld.ts';
import { createWorld, type World } from '../world.ts';

const FILES = 20;

function loopRule(world: World, mode: 'bulk' | 'single'): Partial<WatchRule> {
  const { job, ...standard } = standardRule(world.local.root, 'line');
  return {
    ...standard,
    mode,
    batch: 'line',
    settleMs: 1_000,
    seal: { quietMinutes: 0.01, items: null, at: null },
    job: job ?? { workflowId: 'count-cups' },
    downloadTo: join(world.directory, 'results'),
  };
}

/** One job per batch, run once; together they processed all of our files, and each output is in its directory, byte for byte. */
async function expectLoopClosed(
  world: World,
  resultsOf: (batchId: string) => string,
): Promise<void> {
  const { state } = world.service;
  const jobs = [...state.jobs.values()];
  expect(jobs.length).toBeGreaterThan(0);
  expect(jobs.map(({ runs }) => runs)).toEqual(jobs.map(() => 1));
  const batches = jobs.map(({ inputBatchId }) => inputBatchId);
  expect(new Set(batches).size, 'one job for each batch').toBe(batches.length);
  const processed: string[] = [];
  for (const job of jobs) {
    const outputs = state.objects(`${job.jobId}-export`);
    expect(outputs.length).toBeGreaterThan(1);
    const there = await contentsBelow(resultsOf(job.inputBatchId));
    expect(there, 'all outputs are here').toEqual(outputs.map((output) => output.sha256).sort());
    const summary = outputs.find(({ name }) => name === 'summary.csv');
    processed.push((await world.service.bytes(summary?.objectId ?? '')).toString('utf8'));
  }
  const missed = (await world.local.files()).filter(
    (file) => !processed.some((summary) => summary.includes(file.sha256)),
  );
  expect(missed, 'the job saw every file').toEqual([]);
  await world.expectExactlyOnce({ allConfirmed: true });
}

describe.each(charactersFor('closedLoop'))('%s', (character, service) => {
  const modes = { bulk: 0, single: FILES / 2 } as const;
  test.each(['bulk', 'single'] as const)('%s', async (mode) => {
    const world = await createWorld({ service, times: CHARACTER_TIMES });
    replaceOneOfOurs(world.service, character, 'line');
    const watched = await watchWorld(world, {
      rule: loopRule(world, mode),
      runnerTimes: CHARACTER_TIMES,
    });
    await watched.until(() => watched.motion().scannedOnce());
    for (let number = modes[mode]; number < FILES; number += 1)
      await world.local.write(`cam-${number % 2}/${number}.jpg`, tinyJpeg(number));
    await world.local.remember();
    await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
    // A file that was replaced after its batch was closed goes to the next batch, with its own job.
    expect((await watched.once()).end.kind).toBe('settled');
    await watched.stop();
    await expectLoopClosed(world, (batchId) => join(world.directory, 'results', batchId));
  });

  test('the command run', async ({ signal }) => {
    const world = await createWorld({ service, times: CHARACTER_TIMES });
    replaceOneOfOurs(world.service, character, 'line');
    for (const { name, content } of tinyImages(40)) await world.local.write(name, content);
    await world.local.remember();
    const to = join(world.directory, 'results');
    const child = startCli(world, [
      ...['run', world.local.root, '--batch', 'line', '--workflow', 'count'],
      ...['--to', to, '--json'],
    ]);
    signal.addEventListener('abort', () => child.process.kill('SIGKILL'));
    const { exitCode, stderr } = await child.ended;
    expect(exitCode, stderr).toBe(0);
    await expectLoopClosed(world, () => to);
    await world.expectNoSecrets();
  });
});
