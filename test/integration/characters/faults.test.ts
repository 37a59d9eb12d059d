/** Outages and faults with every character of the service: nothing is lost, nothing arrives twice, and no person has to retry. */
import { describe, expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../../helpers/media.ts';
import type { CharacterName } from '../../service/characters.ts';
import type { Fault } from '../../service/faults.ts';
import type { OutageOrder } from '../../service/outages.ts';
import type { ReferenceService, ServiceOptions } from '../../service/referenceService.ts';
import { CHARACTER_TIMES, charactersFor } from '../characters.ts';
import { stallAfter } from '../ports.ts';
import { createRandom, type SeededRandom } from '../random.ts';
import { createWorld, type Finished, type World } from '../world.ts';

const CASES = charactersFor('faults');
const QUICK: ServiceOptions = { settings: {} };
/** Long enough for a hundred tries of a pipeline with these times. */
const OUTAGE_MS = 2_500;

function worldOf(service: ServiceOptions, finished: Finished): Promise<World> {
  return createWorld({ service, times: CHARACTER_TIMES }, finished);
}

async function writeSome(world: World, images: number, clips: readonly string[]): Promise<void> {
  await world.local.writeImages(images);
  for (const clip of clips) {
    await world.local.write(`${clip}.mp4`, await clipOf(clip));
  }
  await world.local.remember();
}

type Order = Omit<OutageOrder, 'forMs'>;

const OUTAGES: readonly (readonly [string, Order])[] = [
  ['503', { answer: { kind: 'status', status: 503 } }],
  ['429 with Retry-After', { answer: { kind: 'status', status: 429, retryAfter: 1 } }],
  ['a sign-in page', { answer: { kind: 'html', status: 200 } }],
  ['404 as HTML', { answer: { kind: 'html', status: 404 } }],
  ['500', { answer: { kind: 'status', status: 500 } }],
  ['403 as HTML', { answer: { kind: 'html', status: 403 } }],
  ['refused connections', { answer: { kind: 'refused' } }],
  ['silence', { answer: { kind: 'hang' } }],
  ['a redirect to a sign-in page', { answer: { kind: 'html', status: 302 } }],
];

/** An error in the format of a storage. */
const XML = { body: '<Error/>', headers: { 'content-type': 'application/xml' } } as const;

const PARTIAL: readonly (readonly [string, Order])[] = [
  [
    '503 at registrations',
    {
      match: { method: 'POST', path: /bulk-upload|upload\/video/ },
      answer: { kind: 'status', status: 503 },
    },
  ],
  [
    '503 at the storage',
    { match: { method: 'PUT' }, answer: { kind: 'status', status: 503, ...XML } },
  ],
  [
    '403 of the storage',
    { match: { method: 'PUT' }, answer: { kind: 'status', status: 403, ...XML } },
  ],
  ['404 as HTML on questions', { match: { method: 'GET' }, answer: { kind: 'html', status: 404 } }],
  [
    '404 as JSON on questions',
    { match: { method: 'GET' }, answer: { kind: 'status', status: 404 } },
  ],
  ['511 as HTML', { answer: { kind: 'html', status: 511 } }],
  ['resets', { answer: { kind: 'reset' } }],
];

const UPLOADS = /\/upload\/|\/bulk-upload\/|\/storage\/uploads\//;

/** The outage begins with the second request that sends something. */
function breakMidway(service: ReferenceService, order: Order): void {
  let seen = 0;
  service.onRequest({ path: UPLOADS }, () => {
    seen += 1;
    if (seen === 2) void service.outage({ ...order, forMs: OUTAGE_MS });
  });
}

async function surviveOutage(
  world: World,
  mode: 'bulk' | 'single',
  order: Order,
  signal: AbortSignal,
): Promise<void> {
  await writeSome(world, 20, ['a', 'b', 'c']);
  breakMidway(world.service, order);
  const { end, tally } = await world.upload({ mode, signal, wraps: [stallAfter(300)] });
  expect(end.kind).toBe('settled');
  expect(tally).toMatchObject({ confirmed: 23, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
  await world.expectNoSecrets();
}

describe('an outage', () => {
  const rotated = CASES.flatMap(([character, service], index) => {
    const [name, order] = OUTAGES[index % OUTAGES.length] ?? [];
    return name === undefined || order === undefined
      ? []
      : [[character, name, service, order] as const];
  });
  const all = [...OUTAGES.slice(1), ...PARTIAL].map(
    ([name, order]) => ['quick', name, QUICK, order] as const,
  );
  const both: readonly (readonly [CharacterName, string, ServiceOptions, Order])[] = [
    ...rotated,
    ...all,
  ];
  test.concurrent.for(both)('%s: %s', async ([, , service, order], { onTestFinished, signal }) => {
    await surviveOutage(await worldOf(service, onTestFinished), 'bulk', order, signal);
  });

  test.concurrent.for([...OUTAGES, ...PARTIAL])(
    'single images: %s',
    async ([, order], { onTestFinished, signal }) => {
      await surviveOutage(await worldOf(QUICK, onTestFinished), 'single', order, signal);
    },
  );
});

describe('an upload that is answered 200 and thrown away', () => {
  const WAYS = [
    ['an image', 'single', 'POST', /upload\/image/, {}],
    ['a shard', 'bulk', 'PUT', /storage/, {}],
    ['a video that the storage keeps', 'single', 'PUT', /storage/, { keptInStorage: true }],
  ] as const;
  test.concurrent.for(WAYS)(
    '%s',
    async ([, mode, method, path, more], { onTestFinished, signal }) => {
      const world = await worldOf(QUICK, onTestFinished);
      await writeSome(world, 12, mode === 'single' ? ['a', 'b'] : []);
      world.service.faults.next(method, path, { kind: 'acknowledgedAndDropped', ...more });
      // Another computer makes the count correct again: a count says how many, never which.
      const { state, otherComputer } = world.service;
      const stop = world.service.onRequest({ method: 'GET', path: /count$/ }, async () => {
        if (state.dropped.length === 0 || mode === 'bulk') return;
        stop();
        await otherComputer.uploadImage('batch-1', 'theirs.jpg', tinyJpeg(88_000));
      });
      const { end, tally } = await world.upload({ mode, signal });
      expect(end.kind).toBe('settled');
      expect(tally).toMatchObject({ confirmed: mode === 'single' ? 14 : 12, attention: 0 });
      expect(world.service.state.dropped).toHaveLength(1);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});

describe('a body that is damaged on the way', () => {
  const STATED = (['goog', 'etag', 'amz'] as const).flatMap((states) => [
    [states, 'single', 'a video', /storage/] as const,
    [states, 'bulk', 'a shard', /storage/] as const,
    [states, 'single', 'an image', /upload\/image/] as const,
  ]);
  test.concurrent.for(STATED)(
    '%s, %s: %s',
    async ([states, mode, , path], { onTestFinished, signal }) => {
      const world = await worldOf({ character: 'checksums', settings: { states } }, onTestFinished);
      await writeSome(world, 12, ['a', 'b']);
      world.service.faults.next(path.test('/upload/image') ? 'POST' : 'PUT', path, {
        kind: 'damagesBody',
      });
      const { end, tally } = await world.upload({ mode, signal });
      expect(end.kind).toBe('settled');
      expect(tally).toMatchObject({ confirmed: 14, attention: 0 });
      await world.expectExactlyOnce({ allConfirmed: true, damaged: true });
    },
  );
});

test.concurrent.for(['same', 'empty'] as const)(
  'lists without an end cost few requests: %s',
  async (pages, { onTestFinished, signal }) => {
    const world = await worldOf(QUICK, onTestFinished);
    await writeSome(world, 40, []);
    world.service.faults.next('GET', /\/(list|shards)$/, { kind: 'endlessPaging', pages }, 30);
    const { tally } = await world.upload({ mode: 'bulk', signal });
    expect(tally).toMatchObject({ confirmed: 40, attention: 0 });
    expect(world.requestCount('GET', /\/(list|shards)$/)).toBeLessThan(100);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);

/** On average one request in this many meets a fault. */
const RARITY = 5;
/** The faults end after this many runs: with a service that never works, an upload cannot finish. */
const TROUBLED_RUNS = 3;
/** Seeds for each character; more for the quick service, which has no pauses of its own. */
const SEEDS = 2;
const MANY_SEEDS = 30;
const HTML = [200, 302, 403, 404, 502, 511] as const;
const STATUSES = [408, 425, 429, 500, 502, 503, 504, 522] as const;

function randomFault(random: SeededRandom, method: string, path: string): Fault | null {
  if (random.whole(1, RARITY) > 1) return null;
  const acted = random.whole(0, 1) === 1;
  const faults: readonly Fault[] = [
    { kind: 'status', status: random.pick(STATUSES) },
    { kind: 'status', status: 503, retryAfter: 0.1 },
    { kind: 'html', status: random.pick(HTML), acted },
    { kind: 'html', status: random.pick(HTML), acted },
    { kind: 'wrongJson', text: random.pick(['', '{}', '{"status":"o']), acted },
    { kind: 'delay', ms: random.whole(1, 60) },
    { kind: 'cutWhileReceiving', afterBytes: random.whole(0, 3000) },
    { kind: 'cutWhileAnswering', afterBytes: random.whole(0, 40) },
    { kind: 'doneButAnswerLost' },
    { kind: 'hang', acted },
  ];
  const sends = method === 'PUT' || path.includes('/upload/image');
  const ofBodies: readonly Fault[] = sends
    ? [{ kind: 'lateCommit', afterMs: random.whole(1, 300) }, { kind: 'acknowledgedAndDropped' }]
    : [];
  const ofReads: readonly Fault[] = method === 'GET' ? [{ kind: 'status', status: 404 }] : [];
  const ofAddresses: readonly Fault[] = path.startsWith('/storage/')
    ? [{ kind: 'expiredUrl' }]
    : [];
  return random.pick([...faults, ...ofBodies, ...ofReads, ...ofAddresses]);
}

/** True for an upload that gets an answer like a storage's and is thrown away. */
function throwsAway(fault: Fault | null, method: string): boolean {
  if (fault?.kind === 'acknowledgedAndDropped') return true;
  return fault?.kind === 'wrongJson' && fault.acted !== true && method === 'PUT';
}

/**
 * Faults of a run. At most one upload is thrown away, and none if the character does that: a service that throws a file away
 * again after a resend has refused it, and that needs a person.
 */
function createFaults(
  random: SeededRandom,
  dropEvery: number,
): (method: string, path: string) => Fault | null {
  let mayDrop = dropEvery === 0;
  return (method, path) => {
    const fault = randomFault(random, method, path);
    if (!throwsAway(fault, method)) return fault;
    const isDrawn = mayDrop;
    mayDrop = false;
    return isDrawn ? fault : null;
  };
}

async function play(world: World, seed: number, signal: AbortSignal): Promise<void> {
  const random = createRandom(seed);
  const chooseFault = createFaults(random, world.service.state.settings.dropEvery);
  const mode = random.pick(['single', 'bulk', 'auto'] as const);
  for (let run = 0; run < TROUBLED_RUNS; run += 1) {
    const files = random.whole(4, 14);
    for (let index = 0; index < files; index += 1) {
      const number = run * 1000 + index;
      await world.local.write(`d${index % 3}/f-${index % 5}-${run}.jpg`, tinyJpeg(number));
      await world.local.write(`d${index % 3}/g-${index}-${run}.jpg`, tinyJpeg(number + 500));
      // Sometimes the same content again.
      if (random.whole(1, 6) === 1)
        await world.local.write(`d${index % 3}/copy-${index}-${run}.jpg`, tinyJpeg(number));
    }
    if (random.whole(0, 1) === 1) await writeSome(world, 0, [`clip-${run}`]);
    await world.local.remember();
    world.service.faults.choose(chooseFault);
    // Some runs are interrupted in the middle.
    const interruption = new AbortController();
    const patience = random.whole(0, 1) === 1 ? random.whole(1, 20) : Number.POSITIVE_INFINITY;
    let looks = 0;
    await world.upload({
      mode,
      signal: AbortSignal.any([signal, interruption.signal]),
      wraps: [stallAfter(250)],
      onProgress: () => {
        looks += 1;
        if (looks > patience) interruption.abort();
        // The faults do not last forever.
        if (looks > 60) world.service.faults.clear();
      },
    });
    signal.throwIfAborted();
  }
  world.service.faults.clear();
  const { end, tally } = await world.upload({ mode, signal });
  expect(end.kind).toBe('settled');
  expect(tally.attention, 'no reason of the network or the service needs a person').toBe(0);
}

describe('a mix of faults', () => {
  const first = Number(process.env['SLUICE_SEED'] ?? 1);
  const cases = CASES.flatMap(([character, service]) =>
    Array.from(
      { length: character === 'quick' ? MANY_SEEDS : SEEDS },
      (_, index) => [character, first + index, service] as const,
    ),
  );
  test.concurrent.for(cases)(
    '%s, seed %i',
    async ([, seed, service], { onTestFinished, signal }) => {
      const world = await worldOf(service, onTestFinished);
      await play(world, seed, signal);
      await world.expectExactlyOnce({ allConfirmed: true });
      await world.expectNoSecrets();
    },
  );
});
