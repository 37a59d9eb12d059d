/** Files that change while they are sent: no other file suffers, and nothing wrong arrives. */
import { describe, expect, test } from 'vitest';
import { sample, tinyJpeg, truncated } from '../helpers/media.ts';
import { sha256 } from './localFiles.ts';
import { asChanged, whileSending } from './ports.ts';
import { createWorld, type Finished, type World } from './world.ts';

interface Way {
  readonly name: string;
  readonly mode: 'single' | 'bulk';
  /** The file that changes, with its first and its later content. */
  readonly file: string;
  content(version: number): Promise<Buffer>;
  /** After how many sent chunks of the body the change happens. */
  readonly moments: readonly number[];
}

/** Larger than one read, so that a change can happen in between. */
const LARGE_BYTES = 3 * 1024 * 1024;

const image = {
  file: 'middle.jpg',
  content: (version: number) => Promise.resolve(tinyJpeg(9000 + version)),
  moments: [0],
};
const largeImage = {
  file: 'middle.jpg',
  content: (version: number) => Promise.resolve(tinyJpeg(9000 + version, LARGE_BYTES)),
  moments: [0, 1],
};

const WAYS: readonly Way[] = [
  { ...image, name: 'a small image, sent alone', mode: 'single' },
  { ...largeImage, name: 'a large image, sent alone', mode: 'single' },
  { ...image, name: 'a small image in a shard', mode: 'bulk' },
  { ...largeImage, name: 'a large image in a shard', mode: 'bulk' },
  {
    name: 'a video',
    mode: 'single',
    file: 'middle.mp4',
    content: async (version) => {
      const free = Buffer.alloc(LARGE_BYTES);
      free.writeUInt32BE(LARGE_BYTES, 0);
      free.write('free', 4);
      free.writeUInt32BE(version, 8);
      return Buffer.concat([await sample('mp4'), free]);
    },
    moments: [0, 1],
  },
];

async function prepare(way: Way, finished: Finished): Promise<World> {
  const world = await createWorld({}, finished);
  for (let number = 0; number < 4; number += 1) {
    await world.local.write(`still-${number}.jpg`, tinyJpeg(number));
  }
  await world.local.write(way.file, await way.content(1));
  await world.local.remember();
  return world;
}

/** Uploads; the user acts once, when this many chunks of the file have been sent. */
async function uploadWhile(
  world: World,
  { file, mode }: Pick<Way, 'file' | 'mode'>,
  moment: number,
  act: () => Promise<unknown>,
) {
  const change = whileSending(file, moment, async () => {
    await act();
    await world.local.remember();
  });
  return (await world.upload({ mode, wraps: [change] })).tally;
}

const CASES = WAYS.flatMap((way) =>
  way.moments.map((moment) => [`${way.name}, after ${moment} chunks`, way, moment] as const),
);

describe.each(CASES)('%s', (_, way, moment) => {
  test.concurrent('another content: the new one arrives, the old one never', async ({
    onTestFinished,
  }) => {
    const world = await prepare(way, onTestFinished);
    const tally = await uploadWhile(world, way, moment, async () =>
      world.local.write(way.file, await way.content(2)),
    );
    expect(tally).toMatchObject({ confirmed: 5, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('replaced by way of a rename: the new one arrives', async ({
    onTestFinished,
  }) => {
    const world = await prepare(way, onTestFinished);
    const tally = await uploadWhile(world, way, moment, async () => {
      await world.local.write('.new', await way.content(2));
      await world.local.move('.new', way.file);
    });
    expect(tally).toMatchObject({ attention: 0 });
    // An open file keeps its content: then the old content has arrived, and the next check finds the new one.
    const formerly = sha256(await way.content(1));
    const former = [...world.service.state.batches.values()].some((batch) =>
      batch.objects.some((object) => object.sha256 === formerly),
    );
    const again = await world.upload({ mode: way.mode });
    expect(again.tally).toMatchObject({ confirmed: 5, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true, former: former ? [formerly] : [] });
  });

  test.concurrent('shorter, a half-written file: it is kept for a person, the others arrive', async ({
    onTestFinished,
  }) => {
    const world = await prepare(way, onTestFinished);
    const tally = await uploadWhile(world, way, moment, async () =>
      world.local.write(way.file, truncated(await way.content(1))),
    );
    expect(tally).toMatchObject({ confirmed: 4, attention: 1 });
    await world.expectExactlyOnce();
  });

  test.concurrent('longer: what it is now arrives', async ({ onTestFinished }) => {
    const world = await prepare(way, onTestFinished);
    const longer = Buffer.concat([await way.content(1), Buffer.from('\0\0\0\x10freeabcdefgh')]);
    const tally = await uploadWhile(world, way, moment, () => world.local.write(way.file, longer));
    expect(tally.confirmed + tally.attention).toBe(5);
    await world.expectExactlyOnce();
  });

  test.concurrent('gone: it is skipped, the others arrive', async ({ onTestFinished }) => {
    const world = await prepare(way, onTestFinished);
    const tally = await uploadWhile(world, way, moment, () => world.local.remove(way.file));
    expect(tally.confirmed).toBeGreaterThanOrEqual(4);
    expect(tally).toMatchObject({ found: 5, attention: 0 });
    // An open file can be read to its end although its name is gone.
    const former = tally.confirmed === 5 ? [sha256(await way.content(1))] : [];
    await world.expectExactlyOnce({ former });
  });

  test.concurrent('touched with the same content: it arrives as it is', async ({
    onTestFinished,
  }) => {
    const world = await prepare(way, onTestFinished);
    const tally = await uploadWhile(world, way, moment, () => world.local.age(way.file, 2));
    expect(tally).toMatchObject({ confirmed: 5, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

test.concurrent('many files of an archive that are gone before it is sent cost it one address', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  const names = Array.from({ length: 20 }, (_, number) => `image-${number}.jpg`);
  for (const [number, name] of names.entries()) await world.local.write(name, tinyJpeg(number));
  const change = whileSending('.jpg', 0, async () => {
    for (const name of names.slice(5, 15)) await world.local.remove(name);
    await world.local.remember();
  });
  const { tally } = await world.upload({ mode: 'bulk', wraps: [change] });
  expect(tally).toMatchObject({ found: 20, confirmed: 10, attention: 0 });
  // One for the archive as it was, one for what is left of it.
  expect(world.requestCount('POST', /\/bulk-upload\//)).toBe(2);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('a duplicate takes the place of an original that goes away while it is sent', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.write('b.jpg', tinyJpeg(1));
  await world.local.remember();
  const change = whileSending('a.jpg', 0, async () => {
    await world.local.remove('a.jpg');
    await world.local.remember();
  });
  const { tally } = await world.upload({ wraps: [change] });
  expect(tally).toMatchObject({ confirmed: 1, skipped: 1, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('a file that never holds still is left to a person or skipped, and holds up nothing', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('still.jpg', tinyJpeg(1));
  await world.local.write('moving.jpg', tinyJpeg(2));
  await world.local.remember();
  let version = 2;
  const changes = Array.from({ length: 4 }, () =>
    whileSending('moving.jpg', 0, async () => {
      version += 1;
      await world.local.write('moving.jpg', tinyJpeg(version));
      await world.local.remember();
    }),
  );
  const { tally } = await world.upload({ wraps: changes });
  expect(tally).toMatchObject({ confirmed: 2, attention: 0 });
  expect(version).toBeGreaterThan(2);
  await world.expectExactlyOnce({ allConfirmed: true });
});

describe('a duplicate stays one', () => {
  const pad = { small: 0, large: LARGE_BYTES } as const;

  test.concurrent.for(['small', 'large'] as const)(
    'when its %s original is touched while it is sent',
    async (size, { onTestFinished }) => {
      const world = await createWorld({}, onTestFinished);
      await world.local.write('a.jpg', tinyJpeg(1, pad[size]));
      await world.local.write('b.jpg', tinyJpeg(1, pad[size]));
      await world.local.write('c.jpg', tinyJpeg(1, pad[size]));
      await world.local.remember();
      const touch = whileSending('a.jpg', 1, async () => {
        await world.local.write('a.jpg', tinyJpeg(2, pad[size]));
        await world.local.write('a.jpg', tinyJpeg(1, pad[size]));
        await world.local.remember();
      });
      const { tally } = await world.upload({ wraps: [touch, asChanged('a.jpg')] });
      expect(tally).toMatchObject({ confirmed: 1, skipped: 2, attention: 0 });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );

  test.concurrent('when its original was refused and is tried again', async ({
    onTestFinished,
  }) => {
    const world = await createWorld({}, onTestFinished);
    await world.local.write('a.jpg', tinyJpeg(1));
    await world.local.write('b.jpg', tinyJpeg(1));
    await world.local.remember();
    world.service.faults.next('POST', /upload\/image/, { kind: 'status', status: 400 });
    expect((await world.upload()).tally).toMatchObject({ attention: 1, skipped: 1 });
    await world.succeeds(['problems', '--retry', 'all']);
    await world.upload();
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});
