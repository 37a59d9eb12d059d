/**
 * The program is killed again and again while it works, with every character of the service, and files keep arriving. In the end
 * everything is on the service once, and the ledger is whole.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../../helpers/media.ts';
import { type Child, startCli, untilRequest } from '../childCli.ts';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { createRandom, seedOfRun } from '../random.ts';
import { createWorld, type World } from '../world.ts';

/** Kills of each case, and the time within which each comes after the request that a run waits for, ms. */
const FEW = { kills: 4, latestMs: 120, latencyMs: 10 } as const;
/** With the quick service, which has no pauses of its own, more of them and at more moments. */
const MANY = { kills: 17, latestMs: 210, latencyMs: 25 } as const;
const IMAGES = { bulk: 7, single: 7 } as const;
const MANY_IMAGES = { bulk: 150, single: 9 } as const;
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

describe('killed at random moments', () => {
  const seed = seedOfRun();
  const cases = charactersFor('kills').flatMap(([character, service], index) => {
    const mode = index % 2 === 0 ? 'bulk' : 'single';
    const both = ['quick', 'oneObjectPerName', 'drops'].includes(character);
    const modes: readonly ('bulk' | 'single')[] = both ? ['bulk', 'single'] : [mode];
    return modes.map((one) => [character, one, service] as const);
  });

  test.concurrent.for(cases)(
    `%s, %s (SLUICE_SEED=${seed})`,
    { timeout: 400_000 },
    async ([character, mode, service], { onTestFinished, signal }) => {
      const random = createRandom(seed);
      const isQuick = character === 'quick';
      const { kills, latestMs, latencyMs } = isQuick ? MANY : FEW;
      const options = { service: { ...service, latencyMs }, times: CHARACTER_TIMES };
      const world = await createWorld(options, onTestFinished);
      replaceOneOfOurs(world.service, character, 'killed');
      const args = ['upload', world.local.root, '--batch', 'killed', '--json', '--mode', mode];
      const { log } = world.service;
      const start = (): Child => {
        const child = startCli(world, args);
        signal.addEventListener('abort', () => child.process.kill('SIGKILL'));
        return child;
      };
      let landed = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        await addFiles(world, kill, (isQuick ? MANY_IMAGES : IMAGES)[mode]);
        const before = log.requests.length;
        const child = start();
        const isUpload = random.fraction() < 0.7;
        await untilRequest(child, () =>
          log.requests.slice(before).some(({ path }) => !isUpload || path.search(UPLOAD) >= 0),
        );
        await delay(random.whole(0, latestMs));
        child.process.kill('SIGKILL');
        if ((await child.ended).exitCode === null) landed += 1;
        await world.local.expectUntouched();
      }
      if (isQuick) expect(landed, 'most kills met a running program').toBeGreaterThan(kills / 2);
      const last = await start().ended;
      expect(last.exitCode, last.stderr).toBe(0);
      await world.expectExactlyOnce({ allConfirmed: true });
      await world.expectNoSecrets();
    },
  );
});
