/**
 * The program is killed again and again while it works, and files keep arriving. In the end everything is on the
 * service once, and the ledger is whole.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../helpers/media.ts';
import { startCli, untilRequest } from './childCli.ts';
import { createRandom, seedOfRun } from './random.ts';
import { createWorld, type World } from './world.ts';

const KILLS = 17;
/** The kill comes within this time after the first request of a run, ms. */
const LATEST_KILL_MS = 210;
const LATENCY_MS = 25;

interface Source {
  readonly name: string;
  readonly args: readonly string[];
  /** A request that carries or announces bytes. */
  readonly upload: RegExp;
  add(world: World, round: number): Promise<void>;
}

async function addImages(world: World, round: number, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const number = round * 1000 + index;
    await world.local.write(`day-${round}/cam-${index % 3}/frame-${index}.jpg`, tinyJpeg(number));
  }
}

const SOURCES: readonly Source[] = [
  {
    name: 'single images',
    args: ['--mode', 'single'],
    upload: /\/upload\/image/,
    add: (world, round) => addImages(world, round, 9),
  },
  {
    name: 'shards',
    args: ['--mode', 'bulk'],
    upload: /\/bulk-upload|\/storage\/uploads/,
    add: (world, round) => addImages(world, round, 150),
  },
  {
    name: 'videos',
    args: [],
    upload: /\/upload\/video|\/storage\/uploads/,
    add: async (world, round) => {
      for (const part of ['a', 'b', 'c']) {
        await world.local.write(`${part}/clip-${round}.mp4`, await clipOf(`${part}${round}`));
      }
    },
  },
];

describe('killed at random moments', () => {
  const seed = seedOfRun();
  test.concurrent.for(SOURCES.map((source, index) => [source.name, index, source] as const))(
    `%s (SLUICE_SEED=${seed})`,
    { timeout: 400_000 },
    async ([, index, source], { onTestFinished }) => {
      const random = createRandom(seed + index);
      const world = await createWorld({ service: { latencyMs: LATENCY_MS } }, onTestFinished);
      const args = ['upload', world.local.root, '--batch', 'killed', '--json', ...source.args];
      const { log } = world.service;
      let landed = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        await source.add(world, kill);
        await world.local.remember();
        const before = log.requests.length;
        const child = startCli(world, args);
        const isUpload = random.fraction() < 0.7;
        await untilRequest(child, () =>
          log.requests
            .slice(before)
            .some((entry) => !isUpload || entry.path.search(source.upload) >= 0),
        );
        await delay(random.whole(0, LATEST_KILL_MS));
        child.process.kill('SIGKILL');
        const { exitCode } = await child.ended;
        if (exitCode === null) landed += 1;
        await world.local.expectUntouched();
      }
      expect(landed, 'most kills met a running program').toBeGreaterThan(KILLS / 2);
      const last = await startCli(world, args).ended;
      expect(last.exitCode, last.stderr).toBe(0);
      await world.expectExactlyOnce({ allConfirmed: true });
      await world.expectNoSecrets();
    },
  );
});
