/**
 * Answers that leave open whether the service acted, for each way of sending. Whatever happens, everything is there
 * once in the end, without more requests than needed.
 */
import { describe, expect, test } from 'vitest';
import { sample, tinyJpeg } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { stallAfter } from './ports.ts';
import { createWorld, type World } from './world.ts';

interface Way {
  readonly name: string;
  readonly mode: 'single' | 'bulk';
  /** The request that carries the bytes. */
  readonly method: string;
  readonly path: RegExp;
  write(world: World): Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    name: 'single images',
    mode: 'single',
    method: 'POST',
    path: /\/upload\/image/,
    write: (world) => world.local.writeImages(4),
  },
  {
    name: 'a shard',
    mode: 'bulk',
    method: 'PUT',
    path: /\/storage\/uploads\//,
    write: (world) => world.local.writeImages(12),
  },
  {
    name: 'a video',
    mode: 'single',
    method: 'PUT',
    path: /\/storage\/uploads\//,
    write: async (world) => {
      await world.local.write('clip.mp4', await sample('mp4'));
    },
  },
];

const CASES: readonly (readonly [
  string,
  Fault,
  { readonly times?: number; readonly most?: number },
])[] = [
  ['an answer that is lost', { kind: 'doneButAnswerLost' }, {}],
  ['answers that are lost three times', { kind: 'doneButAnswerLost' }, { times: 3 }],
  ['a reset in the middle of the body', { kind: 'cutWhileReceiving', afterBytes: 200 }, {}],
  ['a reset at the first byte', { kind: 'cutWhileReceiving', afterBytes: 0 }, { times: 2 }],
  ['a reset behind the last byte', { kind: 'cutWhileReceiving', afterBytes: 1e9 }, {}],
  ['silence behind the last byte', { kind: 'hang' }, {}],
  ['silence though it was done', { kind: 'hang', acted: true }, {}],
  ['a commit that comes later', { kind: 'lateCommit', afterMs: 250 }, {}],
  ['408', { kind: 'status', status: 408 }, {}],
  ['500', { kind: 'status', status: 500 }, {}],
  ['502 twice', { kind: 'status', status: 502 }, { times: 2 }],
  ['504', { kind: 'status', status: 504 }, {}],
  ['500 though it was done', { kind: 'wrongJson', text: 'oops', status: 500, acted: true }, {}],
  ['504 though it was done', { kind: 'wrongJson', text: '', status: 504, acted: true }, {}],
  ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 0.2 }, { times: 2 }],
  ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: 0.2 }, { times: 2 }],
  ['an answer cut in its body', { kind: 'cutWhileAnswering', afterBytes: 3 }, {}],
  [
    'a page of HTML as success',
    { kind: 'wrongJson', text: '<html>', acted: true, contentType: 'text/html' },
    {},
  ],
];

describe.each(WAYS)('$name', ({ mode, method, path, write }) => {
  test.concurrent.for(CASES)('survive %s', async ([, fault, { times = 1 }], { onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    await write(world);
    await world.local.remember();
    world.service.faults.next(method, path, fault, times);
    const { end, tally } = await world.upload({ mode, wraps: [stallAfter(300)] });
    expect(end.kind).toBe('settled');
    expect(tally).toMatchObject({ attention: 0, skipped: 0 });
    expect(world.service.log.find(method, path).some((entry) => entry.fault === fault.kind)).toBe(
      true,
    );
    const perfect = mode === 'bulk' || method === 'PUT' ? 1 : 4;
    // Each fault may cost one more body, and all lanes at once may meet a broken connection.
    expect(world.requestCount(method, path)).toBeLessThanOrEqual(perfect + times);
    expect(world.requestCount('*', /./)).toBeLessThanOrEqual(60 + perfect * 4);
    await world.expectExactlyOnce({ allConfirmed: true });
    await world.expectNoSecrets();
  });
});

test.concurrent('a try that the service never took does not count like one that it lost', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('one.jpg', tinyJpeg(1));
  await world.local.remember();
  const POST = /\/upload\/image$/;
  world.service.faults.next('POST', POST, { kind: 'acknowledgedAndDropped' });
  world.service.faults.next('POST', POST, { kind: 'status', status: 500 });
  const { tally } = await world.upload({ mode: 'single' });
  expect(tally).toMatchObject({ confirmed: 1, attention: 0 });
  expect(world.requestCount('POST', POST)).toBe(3);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('a batch that was refused holds nothing up once its last file is listed after all', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.writeImages(3);
  await world.local.remember();
  // The answer about one is lost, and no list shows it before its second sending was refused.
  const empty = { kind: 'wrongJson', text: '{"status":"ok","filesMetadata":[]}' } as const;
  const none = { kind: 'wrongJson', text: '{"status":"ok","count":0}' } as const;
  let images = 0;
  world.service.faults.choose((method, asked) => {
    if (method === 'POST' && asked.endsWith('/upload/image')) {
      images += 1;
      if (images === 1) return { kind: 'doneButAnswerLost' };
      return images === 4 ? { kind: 'status', status: 405 } : null;
    }
    if (method !== 'GET' || images === 0 || images > 3) return null;
    if (asked.includes('/count')) return none;
    return asked.includes('/list') ? empty : null;
  });
  const { exitCode, events } = await world.cli(['upload', world.local.root, '--batch', 'cups']);
  expect(images).toBe(4);
  expect(events.filter(({ event }) => event === 'error')).toEqual([]);
  expect(events.at(-1)).toMatchObject({ event: 'summary', confirmed: 3, attention: 0 });
  expect(exitCode).toBe(0);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent.for([
  ['that say nothing', { kind: 'status', status: 404 }],
  ['that are down', { kind: 'status', status: 500 }],
  ['that hang', { kind: 'hang' }],
] as const)(
  'an archive whose answer was lost is confirmed by its names behind addresses %s',
  async ([, fault], { onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    await world.local.writeImages(40);
    await world.local.remember();
    // The same body cannot be sent once more to find out that it is there.
    let isSent = false;
    world.service.faults.choose((method, address) => {
      if (method === 'GET') return address.startsWith('/storage/') ? fault : null;
      if (method !== 'PUT' || !address.startsWith('/storage/uploads/')) return null;
      const lost = isSent ? { kind: 'status' as const, status: 500 } : null;
      isSent = true;
      return lost ?? { kind: 'doneButAnswerLost' };
    });
    const { end, tally } = await world.upload({ mode: 'bulk', wraps: [stallAfter(300)] });
    expect(end.kind).toBe('settled');
    expect(tally).toMatchObject({ confirmed: 40, attention: 0 });
    // Sluice tried to compare them.
    expect(world.requestCount('GET', /^\/storage\//)).toBeGreaterThan(0);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);

describe.each(WAYS.filter((way) => way.method === 'PUT'))(
  'the address of $name',
  ({ mode, path, write }) => {
    test.each([
      ['that ran out', 403],
      ['that ran out as Google says it', 400],
    ])('%s is requested again', async (_, expiredUrlStatus) => {
      const world = await createWorld({ service: { settings: { expiredUrlStatus } } });
      await write(world);
      await world.local.remember();
      world.service.faults.next('PUT', path, { kind: 'expiredUrl' }, 2);
      const { tally } = await world.upload({ mode });
      expect(tally).toMatchObject({ attention: 0, skipped: 0 });
      expect(world.requestCount('PUT', path)).toBe(3);
      await world.expectExactlyOnce({ allConfirmed: true });
    });

    test('that already has its object says so (412), which counts as sent', async () => {
      const world = await createWorld();
      await write(world);
      await world.local.remember();
      world.service.faults.next('PUT', path, { kind: 'doneButAnswerLost' });
      // Neither the count nor the list shows it yet: the body is sent again, and the storage refuses it.
      const empty = { kind: 'wrongJson', text: '{"status":"ok","filesMetadata":[]}' } as const;
      const none = { kind: 'wrongJson', text: '{"status":"ok","count":0}' } as const;
      world.service.faults.choose((method, asked) => {
        if (method !== 'GET' || world.requestCount('PUT', path) > 1) return null;
        if (/\/count/.test(asked)) return none;
        return /\/list/.test(asked) ? empty : null;
      });
      const { tally } = await world.upload({ mode });
      expect(tally).toMatchObject({ attention: 0, skipped: 0 });
      expect(world.service.log.find('PUT', path).map((entry) => entry.status)).toEqual([null, 412]);
      await world.expectExactlyOnce({ allConfirmed: true });
    });
  },
);

describe('registration', () => {
  test.each([
    ['an answer that is lost', { kind: 'doneButAnswerLost' }],
    ['a reset', { kind: 'cutWhileReceiving', afterBytes: 0 }],
    ['500', { kind: 'status', status: 500 }],
    ['a page of HTML', { kind: 'wrongJson', text: '<html>sorry</html>', contentType: 'text/html' }],
    ['silence', { kind: 'hang' }],
  ] as const)('of a shard survives %s', async (_, fault) => {
    const world = await createWorld();
    await world.local.writeImages(6);
    await world.local.remember();
    world.service.faults.next('POST', /bulk-upload/, fault);
    const first = await world.upload({ mode: 'bulk', wraps: [stallAfter(300)] });
    // An unknown shape needs a person; after "Try again" the same command continues.
    if (first.tally.attention > 0) {
      expect(first.tally.attention).toBe(6);
      const { exitCode } = await world.cli(['problems', '--retry', 'all']);
      expect(exitCode).toBe(0);
    }
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});
