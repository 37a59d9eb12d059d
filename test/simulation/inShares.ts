/** The seeds of `npm test`, split between test files, so that two processes and whatever else they run end at about the same time. */
import { expect, test } from 'vitest';
import { failureInWords } from './manySeeds.ts';
import { MORE_FROM, REGISTERED_FROM, TROUBLES_FROM } from './seedKinds.ts';
import { runSeed } from './world.ts';

function numbers(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Every `npm test` runs the seeds from 1 on, and some of those that draw more: see seedKinds.ts. */
const SEEDS_OF_EACH_RUN = [
  ...numbers(1, 200),
  ...numbers(MORE_FROM, 40),
  ...numbers(TROUBLES_FROM, 20),
  ...numbers(REGISTERED_FROM, 20),
];

const SHARES = 4;

/** Declares one test for each seed of a share: `first` is 1 to SHARES. */
export function declareShare(first: number): void {
  const share = SEEDS_OF_EACH_RUN.filter((_, index) => index % SHARES === first - 1);
  for (const seed of share) {
    test(`seed ${seed}`, async () => {
      const { problems } = await runSeed(seed);
      expect(problems, failureInWords(seed, problems)).toEqual([]);
    });
  }
}
