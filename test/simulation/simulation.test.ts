/** The simulation itself: it repeats exactly, reruns seeds that once failed, and reports an engine that breaks a promise. */
import { describe, expect, test } from 'vitest';
import { failureInWords } from './manySeeds.ts';
import { type Sabotage, SABOTAGES } from './sabotage.ts';
import { SEEDS } from './seeds.ts';
import { runSeed } from './world.ts';

test.each([3, 9, 25])('seed %i is the same each time', async (seed) => {
  const first = await runSeed(seed, { keepTrace: true });
  const second = await runSeed(seed, { keepTrace: true });
  expect(second.trace).toEqual(first.trace);
  expect(second.digest).toBe(first.digest);
  expect(first.events).toBeGreaterThan(50);
});

describe('what was found stays found', () => {
  test.each(SEEDS)('seed $seed: $why', async ({ seed }) => {
    const { problems } = await runSeed(seed);
    expect(problems, failureInWords(seed, problems)).toEqual([]);
  });
});

/** At most this many seeds are tried to find one that shows the fault. */
const MOST_SEEDS = 40;

/** The problems of the first seed that shows the fault, or else of all seeds. */
async function problemsWith({ create, from, reports }: Sabotage): Promise<string> {
  const others: string[] = [];
  for (let seed = from; seed < from + MOST_SEEDS; seed += 1) {
    const { problems } = await runSeed(seed, { sabotage: create() });
    const said = problems.join('\n');
    if (reports.test(said)) return said;
    if (said !== '') others.push(said);
  }
  return others.join('\n');
}

describe('a broken engine is reported', () => {
  test.each(SABOTAGES)('$words', async (sabotage) => {
    expect(await problemsWith(sabotage)).toMatch(sabotage.reports);
  });
});
