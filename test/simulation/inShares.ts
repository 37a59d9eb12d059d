/** The seeds of `npm test`, split between test files, so that two processes and whatever else they run end at about the same time. */
import { expect, test } from 'vitest';
import { failureInWords } from './manySeeds.ts';
import { runSeed } from './world.ts';

/** Every `npm test` runs the seeds from 1 to this one. */
const SEEDS_OF_EACH_RUN = 200;

const SHARES = 4;

/** Declares one test for each seed of a share: `first` is 1 to SHARES. */
export function declareShare(first: number): void {
  for (let seed = first; seed <= SEEDS_OF_EACH_RUN; seed += SHARES) {
    test(`seed ${seed}`, async () => {
      const { problems } = await runSeed(seed);
      expect(problems, failureInWords(seed, problems)).toEqual([]);
    });
  }
}
