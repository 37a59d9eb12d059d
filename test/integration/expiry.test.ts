/** Batches that expire on the service while something in them was never proved. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createWorld, type World } from './world.ts';

const DAY_MS = 24 * 60 * 60_000;
const POST = /\/upload\/image$/;
const LIST = /\/list$/;

/** Uploads arrive, but their answers are lost, and from then on the batch cannot be listed. */
function loseAnswers(world: World): void {
  let sent = false;
  world.service.faults.choose((method, path) => {
    if (method === 'GET') return sent && LIST.test(path) ? { kind: 'status', status: 503 } : null;
    sent = true;
    return { kind: 'doneButAnswerLost' };
  });
}

test.concurrent.for(['notFound', 'zero'] as const)(
  'what was never proved needs a person when the service answers %s, and new files get a new batch',
  async (unknownBatch, { onTestFinished }) => {
    const world = await createWorld({ service: { settings: { unknownBatch } } }, onTestFinished);
    await world.local.write('first.jpg', tinyJpeg(1));
    expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 1 } });

    await world.local.write('second.jpg', tinyJpeg(2));
    loseAnswers(world);
    const uploading = world.upload({ mode: 'single' });
    await expect.poll(() => world.service.state.objects('batch-1').length).toBe(2);
    await world.service.clock.advance(8 * DAY_MS);
    world.service.faults.clear();
    expect(await uploading).toMatchObject({ tally: { confirmed: 1, attention: 1 } });
    expect(world.ledger().items.map(({ reason }) => reason)).toContain('upload.unproven');
    expect(world.requestCount('POST', POST)).toBe(2);

    const third = await world.local.write('third.jpg', tinyJpeg(3));
    await world.upload({ mode: 'single', paths: [third] });
    expect(world.service.state.objects('batch-1-2').map(({ name }) => name)).toEqual(['third.jpg']);
    expect(world.requestCount('POST', POST)).toBe(3);
  },
);

test('a batch of which nothing was ever listed ends, too', async () => {
  const world = await createWorld();
  await world.local.write('only.jpg', tinyJpeg(1));
  loseAnswers(world);
  const uploading = world.upload({ mode: 'single' });
  await expect.poll(() => world.service.state.objects('batch-1').length).toBe(1);
  await world.service.clock.advance(8 * DAY_MS);
  world.service.faults.clear();
  expect(await uploading).toMatchObject({ tally: { confirmed: 0, attention: 1 } });
  expect(world.ledger().items).toMatchObject([{ reason: 'upload.unproven' }]);
  expect(world.requestCount('POST', POST)).toBe(1);
});

test('files planned for a batch that has ended meanwhile go to the next one', async () => {
  const world = await createWorld();
  await world.local.write('first.jpg', tinyJpeg(1));
  expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 1 } });
  await world.local.write('second.jpg', tinyJpeg(2));
  // An answer that says that nothing was done; after a 503 the file may be in the expired batch.
  world.service.faults.always('POST', POST, { kind: 'status', status: 429 });
  const uploading = world.upload({ mode: 'single' });
  await expect.poll(() => world.requestCount('POST', POST)).toBeGreaterThan(1);
  await world.service.clock.advance(8 * DAY_MS);
  // Once it has noticed the expiry, it tries to send the file to the next one.
  await expect.poll(() => world.requestCount('POST', /batch-1-2\/upload/)).toBeGreaterThan(0);
  world.service.faults.clear();
  expect(await uploading).toMatchObject({ tally: { confirmed: 2, attention: 0 } });
  expect(world.service.state.objects('batch-1-2').map(({ name }) => name)).toEqual(['second.jpg']);
});

test('a body that is sent while the end of its batch is checked delays the next batch only until it has ended', async () => {
  const world = await createWorld();
  await world.local.write('first.jpg', tinyJpeg(1));
  expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 1 } });
  await world.local.write('second.jpg', tinyJpeg(2));
  const sending = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<void>();
  const metadata = { method: 'GET', path: /\/batches\/batch-1$/ };
  let hasEnded = false;
  let isChecked = false;
  world.service.onRequest(metadata, async () => {
    isChecked = hasEnded;
    if (isChecked) await sending.promise;
  });
  world.service.onRequest({ method: 'POST', path: POST }, async () => {
    if (!isChecked) return;
    sending.resolve();
    await checked.promise;
  });
  world.service.onRequest({ ...metadata, when: 'after' }, async () => {
    if (!isChecked) return;
    // Time to use the answer while the body is being sent.
    await delay(200);
    checked.resolve();
  });
  world.service.faults.always('POST', POST, { kind: 'status', status: 429 });
  const uploading = world.upload({ mode: 'single' });
  await expect.poll(() => world.requestCount('POST', POST)).toBeGreaterThan(1);
  hasEnded = true;
  await world.service.clock.advance(8 * DAY_MS);
  await expect.poll(() => world.requestCount('POST', /batch-1-2\/upload/)).toBeGreaterThan(0);
  world.service.faults.clear();
  expect(await uploading).toMatchObject({ tally: { confirmed: 2, attention: 0 } });
  expect(world.service.state.objects('batch-1-2').map(({ name }) => name)).toEqual(['second.jpg']);
});
