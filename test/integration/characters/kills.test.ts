/** The program is killed again and again, with every character of the service, while files keep arriving. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../../helpers/media.ts';
import type { CharacterName } from '../../service/characters.ts';
import type { ServiceOptions } from '../../service/referenceService.ts';
import { type Child, startCli, untilRequest } from '../childCli.ts';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { createRandom, seedOfRun } from '../random.ts';
import { createWorld, type World } from '../world.ts';

const KILLS = 4;
/** The kill comes within this time after the request that a run waits for, ms. */
const LATEST_KILL_MS = 120;
const UPLOAD = /\/upload\/|\/bulk-upload|\/storage\/uploads/;

async function addFiles(world: World, round: number): Promise<void> {
  for (let index = 0; index < 7; index += 1) {
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
    const both = character === 'oneObjectPerName' || character === 'drops';
    const modes: readonly ('bulk' | 'single')[] = both ? ['bulk', 'single'] : [mode];
    return modes.map((one): readonly [CharacterName, string, ServiceOptions] => [
      character,
      one,
      service,
    ]);
  });

  test.concurrent.for(cases)(
    `%s, %s (SLUICE_SEED=${seed})`,
    async ([character, mode, service], { onTestFinished, signal }) => {
      const random = createRandom(seed);
      const options = { service: { ...service, latencyMs: 10 }, times: CHARACTER_TIMES };
      const world = await createWorld(options, onTestFinished);
      replaceOneOfOurs(world.service, character, 'killed');
      const args = ['upload', world.local.root, '--batch', 'killed', '--json', '--mode', mode];
      const { log } = world.service;
      const start = (): Child => {
        const child = startCli(world, args);
        signal.addEventListener('abort', () => child.process.kill('SIGKILL'));
        return child;
      };
      for (let kill = 0; kill < KILLS; kill += 1) {
        await addFiles(world, kill);
        const before = log.requests.length;
        const child = start();
        const isUpload = random.fraction() < 0.7;
        await untilRequest(child, () =>
          log.requests.slice(before).some(({ path }) => !isUpload || path.search(UPLOAD) >= 0),
        );
        await delay(random.whole(0, LATEST_KILL_MS));
        child.process.kill('SIGKILL');
        await child.ended;
        await world.local.expectUntouched();
      }
      const last = await start().ended;
      expect(last.exitCode, last.stderr).toBe(0);
      await world.expectExactlyOnce({ allConfirmed: true });
      await world.expectNoSecrets();
    },
  );
});
