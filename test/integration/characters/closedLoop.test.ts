/** The whole loop with every character of the service: files arrive, their batch is closed, one job processes all of them, its outputs come back. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { watchScanned } from '../watchWorld.ts';
import { expectOutputs, loopRule, writeFrames } from '../wholeLoop.ts';
import { createWorld, type World } from '../world.ts';

const FILES = 20;

/** One job per batch, run once; together they processed all of our files, and each output is in its directory, byte for byte. */
async function expectLoopClosed(world: World): Promise<void> {
  const { state } = world.service;
  const jobs = [...state.jobs.values()];
  expect(jobs.length).toBeGreaterThan(0);
  const batches = jobs.map(({ inputBatchId }) => inputBatchId);
  expect(new Set(batches).size, 'one job for each batch').toBe(batches.length);
  const processed: string[] = [];
  for (const job of jobs) {
    await expectOutputs(world, job, join(world.directory, 'results', job.inputBatchId));
    const outputs = state.objects(`${job.jobId}-export`);
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
    const watched = await watchScanned(world, {
      rule: { ...loopRule(world), mode },
      runnerTimes: CHARACTER_TIMES,
    });
    await writeFrames(world, modes[mode], FILES - modes[mode]);
    await watched.until(() => watched.news.some(({ kind }) => kind === 'fetched'));
    // A file that was replaced after its batch was closed goes to the next batch, with its own job.
    expect((await watched.once()).end.kind).toBe('settled');
    await watched.stop();
    await expectLoopClosed(world);
  });
});
