/** Random faults on every kind of request, with every way of sending: in the end everything is there exactly once. */
import { describe, test } from 'vitest';
import { clipOf, tinyJpeg } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { stallAfter } from './ports.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { createWorld, type World } from './world.ts';

/** On average one request in this many meets a fault. */
const RARITY = 4;
/** The faults end after this many runs: with a service that never works, an upload cannot finish. */
const TROUBLED_RUNS = 3;

/** It is not known what was done. 429 and 503 say that nothing was. */
const AMBIGUOUS = [408, 500, 502, 504] as const;
const STATUSES = [...AMBIGUOUS, 429, 503] as const;

function randomFault(random: SeededRandom, method: string, path: string): Fault | null {
  if (random.whole(1, RARITY) > 1) return null;
  const faults: readonly Fault[] = [
    { kind: 'status', status: random.pick(STATUSES) },
    { kind: 'status', status: 503, retryAfter: 0.1 },
    { kind: 'delay', ms: random.whole(1, 60) },
    { kind: 'cutWhileReceiving', afterBytes: random.whole(0, 3000) },
    { kind: 'cutWhileAnswering', afterBytes: random.whole(0, 40) },
    { kind: 'doneButAnswerLost' },
    { kind: 'wrongJson', text: 'gateway trouble', status: random.pick(AMBIGUOUS), acted: true },
    { kind: 'hang' },
    { kind: 'hang', acted: true },
  ];
  const sends = method === 'PUT' || path.includes('/upload/image');
  const late: readonly Fault[] = sends
    ? [{ kind: 'lateCommit', afterMs: random.whole(1, 300) }]
    : [];
  const expired: readonly Fault[] = path.startsWith('/storage/') ? [{ kind: 'expiredUrl' }] : [];
  return random.pick([...faults, ...late, ...expired]);
}

async function addSome(world: World, random: SeededRandom, from: number): Promise<void> {
  const count = random.whole(3, 25);
  for (let number = from; number < from + count; number += 1) {
    const directory = `d${random.whole(1, 3)}`;
    await world.local.write(`${directory}/f-${number % 7}-${number}.jpg`, tinyJpeg(number));
    // Sometimes the same content again.
    if (random.whole(1, 6) === 1)
      await world.local.write(`${directory}/copy-${number}.jpg`, tinyJpeg(number));
  }
  if (random.whole(1, 2) === 1) {
    await world.local.write(`clip-${from}.mp4`, await clipOf(String(from)));
  }
  await world.local.remember();
}

async function play(world: World, seed: number): Promise<void> {
  const random = createRandom(seed);
  const mode = random.pick(['single', 'bulk', 'auto'] as const);
  for (let run = 0; run < TROUBLED_RUNS; run += 1) {
    await addSome(world, random, run * 1000);
    world.service.faults.choose((method, path) => randomFault(random, method, path));
    // Some runs are interrupted in the middle.
    const interruption = new AbortController();
    const patience = random.whole(0, 1) === 1 ? random.whole(1, 20) : Number.POSITIVE_INFINITY;
    let looks = 0;
    await world.upload({
      mode,
      wraps: [stallAfter(250)],
      signal: interruption.signal,
      onProgress: () => {
        looks += 1;
        if (looks > patience) interruption.abort();
        // The faults do not last forever.
        if (looks > 60) world.service.faults.clear();
      },
    });
  }
  world.service.faults.clear();
  await world.upload({ mode });
  // Parked files can be tried again when the service works.
  if (world.ledger().items.some(({ state }) => state === 'parked')) {
    await world.succeeds(['problems', '--retry', 'all']);
  }
}

describe('a mix of faults', () => {
  const first = Number(process.env['SLUICE_SEED'] ?? 1);
  const seeds = Array.from({ length: 30 }, (_, index) => first + index);
  test.concurrent.for(seeds)('seed %i', async (seed, { onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    await play(world, seed);
    await world.expectExactlyOnce({ allConfirmed: true });
    await world.expectNoSecrets();
  });
});
