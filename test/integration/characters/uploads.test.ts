/** Uploads with every character of the service: shards, single images and videos are sent once, and nothing the second time. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clipOf, tinyImages, tinyJpeg } from '../../helpers/media.ts';
import type { ServiceOptions } from '../../service/referenceService.ts';
import type { Settings } from '../../service/settings.ts';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { clockAhead, whileSending, type Wrap } from '../ports.ts';
import { createWorld, type Finished, type UploadOptions, type World } from '../world.ts';

const CASES = charactersFor('uploads');
const UPLOADS = /\/upload\/|\/bulk-upload\/|\/storage\/uploads\//;
const DAY_MS = 86_400_000;

function worldOf(service: ServiceOptions, finished: Finished): Promise<World> {
  return createWorld({ service, times: CHARACTER_TIMES }, finished);
}

/** Equal names in several directories, and one content twice. */
async function writeImages(world: World, count: number): Promise<void> {
  let number = 0;
  for (const { name, content } of tinyImages(count)) {
    await world.local.write(
      `cam-${number % 3}/frame-${Math.floor(number / 3)}${name.slice(-4)}`,
      content,
    );
    number += 1;
  }
  await world.local.write('copy.jpg', tinyJpeg(77_001));
  await world.local.write('deep/copy too.jpg', tinyJpeg(77_001));
}

async function writeClips(world: World, letters: readonly string[]): Promise<void> {
  for (const letter of letters) {
    await world.local.write(`clips/${letter}.mp4`, await clipOf(letter));
  }
}

async function expectNothingSent(world: World, options: UploadOptions): Promise<void> {
  world.service.log.clear();
  expect((await world.upload(options)).end.kind).toBe('settled');
  expect(world.requestCount('*', UPLOADS)).toBe(0);
}

describe.each(CASES)('%s', (character, service) => {
  test.concurrent('shards and videos arrive once', async ({ onTestFinished, signal }) => {
    const world = await worldOf(service, onTestFinished);
    await writeImages(world, 36);
    await writeClips(world, ['a', 'b', 'c']);
    await world.local.remember();
    replaceOneOfOurs(world.service, character, 'batch-1');
    const first = await world.upload({ signal });
    expect(first.end.kind).toBe('settled');
    expect(first.tally).toMatchObject({ found: 41, confirmed: 40, skipped: 1, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
    // If our clock suddenly is eight days ahead, that is no reason to send anything again.
    const wraps: readonly Wrap[] = character === 'otherClock' ? [clockAhead(8 * DAY_MS)] : [];
    await expectNothingSent(world, { signal, wraps });
    await world.expectExactlyOnce({ allConfirmed: true });
    await world.expectNoSecrets();
  });

  test.concurrent('single images, then more of them, arrive once', async ({
    onTestFinished,
    signal,
  }) => {
    const world = await worldOf(service, onTestFinished);
    await writeImages(world, 16);
    await world.local.write('changing.jpg', tinyJpeg(77_002));
    await world.local.remember();
    replaceOneOfOurs(world.service, character, 'batch-1');
    const change = whileSending('changing.jpg', 0, async () => {
      await world.local.write('changing.jpg', tinyJpeg(77_003));
      await world.local.remember();
    });
    const first = await world.upload({ mode: 'single', signal, wraps: [change] });
    expect(first.end.kind).toBe('settled');
    expect(first.tally).toMatchObject({ found: 19, confirmed: 18, skipped: 1, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
    for (const number of [1, 2, 3, 4])
      await world.local.write(`later/frame-${number}.jpg`, tinyJpeg(77_010 + number));
    await world.local.remember();
    const second = await world.upload({ mode: 'single', signal });
    expect(second.tally).toMatchObject({ confirmed: 22, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
    await expectNothingSent(world, { mode: 'single', signal });
    await world.expectNoSecrets();
  });
});

/** Leaves what a person has who sets up the program again: the files, and the batch on the service. */
async function loseLedger(world: World): Promise<void> {
  for (const name of await readdir(world.dataDirectory))
    if (name.startsWith('ledger.db')) await rm(join(world.dataDirectory, name));
}

describe('a ledger that is lost', () => {
  test.concurrent.for(CASES)('%s', async ([, service], { onTestFinished, signal }) => {
    const world = await worldOf(service, onTestFinished);
    await writeImages(world, 36);
    await writeClips(world, ['a', 'b']);
    await world.local.remember();
    await world.upload({ signal });
    await world.expectExactlyOnce({ allConfirmed: true });
    await loseLedger(world);
    // Without a ledger only the list can tell; no program can know about files that it does not show yet.
    const { clock, settings } = world.service.state;
    await clock.wait(settings.listingDelayMs);
    world.service.faults.next('GET', /\/(count|shards|list)$/, { kind: 'html', status: 404 }, 2);
    await expectNothingSent(world, { signal });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

test.concurrent('a service whose clock is eight days ahead', async ({ onTestFinished, signal }) => {
  const service = { character: 'otherClock', clockSkewMs: 8 * DAY_MS } as const;
  const world = await worldOf(service, onTestFinished);
  await writeImages(world, 36);
  await writeClips(world, ['a']);
  await world.local.remember();
  expect((await world.upload({ signal })).tally).toMatchObject({ confirmed: 38, attention: 0 });
  await expectNothingSent(world, { signal });
  await world.expectExactlyOnce({ allConfirmed: true });
  expect(world.ledger().batches.map(({ batchId }) => batchId)).toEqual([
    'batch-1',
    'batch-1-videos',
  ]);
});

describe('shapes of answers', () => {
  const SHAPES: readonly (readonly [string, Partial<Settings>])[] = [
    ['an unknown batch is 404', {}],
    ['an unknown batch is empty', { unknownBatch: 'zero' }],
    ['errors have a message', { errors: 'message' }],
    ['no status around the answer', { envelope: 'bare' }],
    ['no HEAD', { answersHead: false, states: 'goog' }],
  ];
  test.concurrent.for(SHAPES)('%s', async ([, settings], { onTestFinished, signal }) => {
    const world = await worldOf({ settings }, onTestFinished);
    await writeImages(world, 36);
    await writeClips(world, ['a']);
    await world.local.remember();
    expect((await world.upload({ signal })).tally).toMatchObject({ confirmed: 38, attention: 0 });
    await expectNothingSent(world, { signal });
    const paths = await Promise.all(
      [1, 2].map((number) => world.local.write(`new-${number}.jpg`, tinyJpeg(77_020 + number))),
    );
    await world.local.remember();
    const single = await world.upload({ batch: 'batch-2', mode: 'single', paths, signal });
    expect(single.tally).toMatchObject({ confirmed: 2, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('what the storage states', () => {
  test.concurrent.for(['none', 'goog', 'etag', 'amz', 'odd-etag'] as const)(
    '%s',
    async (states, { onTestFinished, signal }) => {
      const world = await worldOf({ settings: { states } }, onTestFinished);
      await writeImages(world, 36);
      await writeClips(world, ['a', 'b', 'c', 'd']);
      await world.local.remember();
      expect((await world.upload({ signal })).tally).toMatchObject({ confirmed: 41, attention: 0 });
      // Something that only looks like a checksum causes no second upload.
      expect(world.requestCount('PUT', /storage/)).toBe(5);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});
