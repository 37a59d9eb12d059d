/** Lists that lag behind what the service counts. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

const LIST = /\/list$/;
/** So long that reading the list again would wait for longer than a test may take, if comparing counted as reading it. */
const COMPARISON_MS = 4_000;
const NOTHING = {
  kind: 'wrongJson',
  text: '{"filesMetadata":[],"nextPageToken":null}',
  contentType: 'application/json',
} as const;

test.concurrent.for([
  ['acknowledged', null],
  ['in doubt', { kind: 'doneButAnswerLost' }],
] as const)(
  'what is %s and counted is looked for again soon, though no figure changes any more',
  async ([, fault], { onTestFinished }) => {
    // Longer than the test: no timeout ends, and nothing else requests another listing.
    const times = { sentPatienceMs: 600_000, lateCommitMs: 600_000, unmeasuredLagMs: 600_000 };
    const world = await createWorld({ times }, onTestFinished);
    await world.local.writeImages(3);
    if (fault !== null) world.service.faults.next('POST', /\/upload\/image$/, fault, 3);
    world.service.faults.next('GET', LIST, NOTHING, 3);
    expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 3 } });
    expect(world.requestCount('GET', LIST)).toBeLessThanOrEqual(9);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);

test.concurrent('a shard whose registration is not in the ledger yet is no sign of others', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.writeImages(200);
  // Its answer comes byte by byte, while the others are sent, listed and confirmed.
  const slowly = { kind: 'drips', bytesPerSecond: 300 } as const;
  world.service.faults.next('POST', /\/bulk-upload\//, slowly);
  expect(await world.upload({ mode: 'bulk' })).toMatchObject({ tally: { confirmed: 200 } });
  expect(world.requestCount('POST', /\/bulk-upload\//)).toBeGreaterThan(1);
  // Names alone confirm if no other computer writes: nothing was fetched to be compared.
  expect(world.requestCount('GET', /\/storage\//)).toBe(0);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('an image whose answer is under way while another is confirmed is looked for as soon as it is sent', async ({
  onTestFinished,
}) => {
  // Longer than the test: only the counts can trigger another listing, and no check falls between the two answers.
  const times = {
    sentPatienceMs: 600_000,
    lateCommitMs: 600_000,
    unmeasuredLagMs: 600_000,
    confirmMaxMs: 60_000,
  };
  const world = await createWorld({ times }, onTestFinished);
  await world.local.writeImages(2);
  const slowly = { kind: 'drips', bytesPerSecond: 60 } as const;
  world.service.faults.next('POST', /\/upload\/image$/, slowly);
  expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 2 } });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('a list that lags is read again while something else is still being sent', async ({
  onTestFinished,
}) => {
  const times = { sentPatienceMs: 600_000, lateCommitMs: 600_000, unmeasuredLagMs: 600_000 };
  const world = await createWorld({ times }, onTestFinished);
  await world.local.writeImages(2);
  const release = Promise.withResolvers<undefined>();
  let images = 0;
  world.service.onRequest({ method: 'POST', path: /\/upload\/image$/ }, async () => {
    images += 1;
    if (images === 1) await release.promise;
  });
  world.service.faults.next('GET', LIST, NOTHING, 4);
  const ended = world.upload({ mode: 'single' });
  const states = (): readonly string[] => world.ledger().items.map(({ state }) => state);
  await expect.poll(() => states().toSorted()).toEqual(['confirmed', 'sending']);
  release.resolve(undefined);
  expect(await ended).toMatchObject({ tally: { confirmed: 2 } });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('what is sent after a slow comparison is confirmed while something else is still being sent', async ({
  onTestFinished,
}) => {
  const times = { sentPatienceMs: 600_000 };
  const world = await createWorld({ times }, onTestFinished);
  await world.local.writeImages(3);
  const compared = [0, 1].map(() => Promise.withResolvers<undefined>());
  const objects = new Set<string>();
  world.service.onRequest({ method: 'GET', path: /\/storage\// }, async ({ path }) => {
    if (objects.size === 0) await delay(COMPARISON_MS);
    compared[objects.add(path).size - 1]?.resolve(undefined);
  });
  let images = 0;
  world.service.onRequest({ method: 'POST', path: /\/upload\/image$/ }, async () => {
    images += 1;
    // The second image leaves once the first was compared, and the third once the second was.
    await compared[images - 2]?.promise;
  });
  expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 3 } });
  await world.expectExactlyOnce({ allConfirmed: true });
});
