/** Uploads to every character of the service: shards, single images and videos, sent once, and nothing the second time. */
import { describe, expect, test } from 'vitest';
import { sample, tinyImages, tinyJpeg } from '../../helpers/media.ts';
import type { ServiceOptions } from '../../service/referenceService.ts';
import { CHARACTER_TIMES, charactersFor, clockAhead, replaceOneOfOurs } from '../characters.ts';
import { whileSending, type Wrap } from '../ports.ts';
import { createWorld, type Finished, type UploadOptions, type World } from '../world.ts';

const CASES = charactersFor('uploads');
const UPLOADS = /\/upload\/|\/bulk-upload\/|\/storage\/uploads\//;
const DAY_MS = 86_400_000;
const LIMIT = { timeout: 40_000 };

function worldOf(service: ServiceOptions, finished: Finished): Promise<World> {
  return createWorld({ service, times: CHARACTER_TIMES }, finished);
}

/** Equal names in several directories, one content twice. */
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
    const box = Buffer.from(`\0\0\0\x10free${letter.padStart(8, '.')}`);
    await world.local.write(`clips/${letter}.mp4`, Buffer.concat([await sample('mp4'), box]));
  }
}

async function expectNothingSent(world: World, options: UploadOptions): Promise<void> {
  world.service.log.clear();
  expect((await world.upload(options)).end.kind).toBe('settled');
  expect(world.requestCount('*', UPLOADS)).toBe(0);
}

describe.each(CASES)('%s', (character, service) => {
  test.concurrent('shards and videos arrive once', LIMIT, async ({ onTestFinished, signal }) => {
    const world = await worldOf(service, onTestFinished);
    await writeImages(world, 36);
    await writeClips(world, ['a', 'b', 'c']);
    await world.local.remember();
    replaceOneOfOurs(world.service, character, 'batch-1');
    const first = await world.upload({ signal });
    expect(first.end.kind).toBe('settled');
    expect(first.tally).toMatchObject({ found: 41, confirmed: 40, skipped: 1, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
    // A clock of ours that is suddenly eight days ahead is no reason to send anything again.
    const wraps: readonly Wrap[] = character === 'otherClock' ? [clockAhead(8 * DAY_MS)] : [];
    await expectNothingSent(world, { signal, wraps });
    await world.expectExactlyOnce({ allConfirmed: true });
    await world.expectNoSecrets();
  });

  test.concurrent(
    'single images, then more of them, arrive once',
    LIMIT,
    async ({ onTestFinished, signal }) => {
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
    },
  );
});

describe('what a batch that does not exist answers', () => {
  test.concurrent.for(['notFound', 'zero'] as const)(
    '%s',
    LIMIT,
    async (unknownBatch, { onTestFinished, signal }) => {
      const world = await worldOf({ settings: { unknownBatch } }, onTestFinished);
      await writeImages(world, 36);
      await writeClips(world, ['a']);
      await world.local.remember();
      expect((await world.upload({ signal })).tally).toMatchObject({ confirmed: 38, attention: 0 });
      await expectNothingSent(world, { signal });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});

describe('what the storage states', () => {
  test.concurrent.for(['none', 'goog', 'etag', 'amz', 'odd-etag'] as const)(
    '%s',
    LIMIT,
    async (states, { onTestFinished, signal }) => {
      const world = await worldOf({ settings: { states } }, onTestFinished);
      await writeImages(world, 36);
      await writeClips(world, ['a', 'b', 'c', 'd']);
      await world.local.remember();
      expect((await world.upload({ signal })).tally).toMatchObject({ confirmed: 41, attention: 0 });
      // Something that only looks like a checksum sends nothing a second time.
      expect(world.requestCount('PUT', /storage/)).toBe(5);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});
