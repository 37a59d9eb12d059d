/**
 * Outages with every character of the service, and faults one at a time; the simulation mixes them. Nothing is lost, nothing arrives
 * twice, and no person has to retry.
 */
import { describe, expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../../helpers/media.ts';
import type { CharacterName } from '../../service/characters.ts';
import type { OutageOrder } from '../../service/outages.ts';
import type { ReferenceService, ServiceOptions } from '../../service/referenceService.ts';
import { CHARACTER_TIMES, charactersFor } from '../characters.ts';
import { stallAfter } from '../ports.ts';
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
  const partial = PARTIAL.map(([name, order]) => ['quick', name, QUICK, order] as const);
  const both: readonly (readonly [CharacterName, string, ServiceOptions, Order])[] = [
    ...rotated,
    ...partial,
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
