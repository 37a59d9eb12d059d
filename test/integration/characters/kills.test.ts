/**
 * The program is killed again and again while it works, and files keep arriving. In the end everything is on the service once, and the
 * ledger is whole. The simulation kills it with every character of the service.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../../helpers/media.ts';
import { type Child, startCli, untilRequest } from '../childCli.ts';
import { CHARACTER_TIMES } from '../characters.ts';
import { createRandom, seedOfRun } from '../random.ts';
import { createWorld, type World } from '../world.ts';

const KILLS = 17;
/** Each comes within this time after the request that a run waits for, ms. */
const LATEST_MS = 210;
const IMAGES = { bulk: 60, single: 9 } as const;
const UPLOAD = /\/upload\/|\/bulk-upload|\/storage\/uploads/;

async function addFiles(world: World, round: number, images: number): Promise<void> {
  for (let index = 0; index < images; index += 1) {
    const number = round * 1000 + index;
    await world.local.write(
      `day-${round}/cam-${index % 2}/frame-${index >> 1}.jpg`,
      tinyJpeg(number),
    );
  }
  await world.local.write(`clips/${round}.mp4`, await clipOf(String(round)));
  await world.local.remember();
}

const seed = seedOfRun();

test.concurrent.for(['bulk', 'single'] as const)(
  `killed at random moments, %s (SLUICE_SEED=${seed})`,
  { timeout: 400_000 },
  async (mode, { onTestFinished, signal }) => {
    const random = createRandom(seed);
    const options = { service: { latencyMs: 25 }, times: CHARACTER_TIMES };
    const world = await createWorld(options, onTestFinished);
    const args = ['upload', world.local.root, '--batch', 'killed', '--json', '--mode', mode];
    const { log } = world.service;
    const start = (): Child => {
      const child = startCli(world, args);
      signal.addEventListener('abort', () => child.process.kill('SIGKILL'));
      return child;
    };
    let landed = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      await addFiles(world, kill, IMAGES[mode]);
      const before = log.requests.length;
      const child = start();
      const isUpload = random.fraction() < 0.7;
      await untilRequest(child, () =>
        log.requests.slice(before).some(({ path }) => !isUpload || path.search(UPLOAD) >= 0),
      );
      await delay(random.whole(0, LATEST_MS));
      child.process.kill('SIGKILL');
      if ((await child.ended).exitCode === null) landed += 1;
      await world.local.expectUntouched();
    }
    expect(landed, 'most kills met a running program').toBeGreaterThan(KILLS / 2);
    const last = await start().ended;
    expect(last.exitCode, last.stderr).toBe(0);
    await world.expectExactlyOnce({ allConfirmed: true });
    await world.expectNoSecrets();
  },
);
