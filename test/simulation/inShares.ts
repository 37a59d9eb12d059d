/** The seeds of `npm test`, split between two test files so that two processes run them. */
import { expect, test } from 'vitest';
import { failureInWords } from './manySeeds.ts';
import { runSeed } from './world.ts';

/** Every `npm test` runs the seeds from 1 to this one. */
const SEEDS_OF_EACH_RUN = 200;

/** Declares one test for each seed of a half: `first` is 1 or 2. */
export function declareShare(first: number): void {
  for (let seed = first; seed <= SEEDS_OF_EACH_RUN; seed += 2) {
    test(`seed ${seed}`, async () => {
      const { problems } = await runSeed(seed);
      expect(problems, failureInWords(seed, problems)).toEqual([]);
    });
  }
}
