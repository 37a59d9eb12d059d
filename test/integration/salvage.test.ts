/** A ledger that is damaged or lost between two runs: nothing is sent twice because of that, and nothing is lost. */
import {
  copyFile,
  cp,
  mkdir,
  open,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';
import { fastClock } from './ports.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { createWorld, type World } from './world.ts';

const ledgerOf = (world: World): string => join(world.dataDirectory, 'ledger.db');

async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, at);
  await handle.close();
}

function noise(random: SeededRandom, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.whole(0, 255)));
}

type Damage = (world: World, random: SeededRandom) => Promise<void>;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'overwritten with garbage': (world, random) => writeFile(ledgerOf(world), noise(random, 30_000)),
  'an empty file': (world) => writeFile(ledgerOf(world), ''),
  gone: async (world) => {
    for (const name of await readdir(world.dataDirectory)) {
      if (name.startsWith('ledger.db')) await rm(join(world.dataDirectory, name));
    }
  },
  'cut off somewhere': async (world, random) => {
    const { size } = await stat(ledgerOf(world));
    await truncate(ledgerOf(world), random.whole(1, size - 1));
  },
  'cut off between two pages': async (world, random) => {
    const { size } = await stat(ledgerOf(world));
    await truncate(ledgerOf(world), 4096 * random.whole(1, Math.max(1, size / 4096 - 1)));
  },
  'a page of noise': async (world, random) => {
    const { size } = await stat(ledgerOf(world));
    const page = random.whole(1, Math.max(1, size / 4096 - 1));
    await overwrite(ledgerOf(world), page * 4096, noise(random, 4096));
  },
  'damage in many small places': async (world, random) => {
    const { size } = await stat(ledgerOf(world));
    for (let place = 0; place < 40; place += 1) {
      await overwrite(ledgerOf(world), random.whole(100, size - 20), noise(random, 16));
    }
  },
  'its first page': (world, random) => overwrite(ledgerOf(world), 0, noise(random, 200)),
};

/** Images with equal base names, some contents twice, and sometimes a video. */
async function fill(world: World, random: SeededRandom, from: number): Promise<void> {
  const count = random.whole(10, 45);
  for (let number = from; number < from + count; number += 1) {
    await world.local.write(
      `cam-${number % 4}/frame-${Math.floor(number / 4) % 5}-${from}.jpg`,
      tinyJpeg(number),
    );
    if (number % 9 === 0) await world.local.write(`copies/${number}.jpg`, tinyJpeg(number));
  }
  if (random.whole(1, 2) === 1) await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.remember();
}

/** Marks the ledger as not closed, because the check after an unclean end is what finds damage. */
async function pretendCrash(world: World): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(ledgerOf(world));
  database.exec(`UPDATE meta SET value = '0' WHERE key = 'cleanStop'`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

const CASES = Object.entries(DAMAGES).flatMap(([name, damage], index) =>
  ([0, 1, 2] as const).map(
    (round) => [`${name}, round ${round}`, damage, index * 10 + round] as const,
  ),
);

describe('a ledger', () => {
  test.concurrent.for(CASES)('%s', async ([, damage, seed], { onTestFinished }) => {
    const random = createRandom(seed + 1);
    const mode = random.pick(['single', 'bulk', 'auto'] as const);
    const world = await createWorld({}, onTestFinished);
    await fill(world, random, 1);
    await world.upload({ mode });
    await world.expectExactlyOnce({ allConfirmed: true });
    if (random.whole(0, 1) === 1) await fill(world, random, 1000);
    await pretendCrash(world);
    await damage(world, random);
    const { end } = await world.upload({ mode });
    expect(end.kind).toBe('settled');
    await world.expectExactlyOnce({ allConfirmed: true, salvaged: true });
    // And the run after that one finds nothing to do.
    world.service.log.clear();
    await world.upload({ mode });
    expect(world.requestCount('*', /\/upload\/|\/bulk-upload/)).toBe(0);
  });

  test.concurrent.for(['single', 'bulk'] as const)(
    'lost while the service still takes in what was sent, %s',
    async (mode, { onTestFinished }) => {
      const world = await createWorld(
        { service: { settings: { indexingMs: 700 } } },
        onTestFinished,
      );
      await fill(world, createRandom(3), 1);
      const stop = new AbortController();
      await world.upload({
        mode,
        signal: stop.signal,
        onProgress: () => {
          const path = mode === 'bulk' ? /\/storage\/uploads/ : /\/upload\/image/;
          const arrived = world.service.log.find('*', path).some(({ status }) => status === 200);
          if (arrived) stop.abort();
        },
      });
      await DAMAGES['gone']?.(world, createRandom(1));
      await world.upload({ mode });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );

  test.concurrent('of an older day is put back: what was sent since is found at the service', async ({
    onTestFinished,
  }) => {
    const world = await createWorld({}, onTestFinished);
    const random = createRandom(5);
    await fill(world, random, 1);
    await world.upload();
    await pretendCrash(world);
    await copyFile(ledgerOf(world), join(world.directory, 'backup.db'));
    await fill(world, random, 1000);
    await world.upload();
    await DAMAGES['gone']?.(world, random);
    await copyFile(join(world.directory, 'backup.db'), ledgerOf(world));
    await world.upload();
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

const PLANNED = 12;

test.each(['single', 'bulk'])(
  'a ledger of an hour ago, in which everything was only planned, is put back: mode %s',
  async (mode) => {
    const bench = await createBench();
    const images = join(bench.directory, 'images');
    await mkdir(images);
    for (let number = 0; number < PLANNED; number += 1)
      await writeFile(join(images, `${String(number)}.jpg`), tinyJpeg(number));
    const send = (signal = new AbortController().signal) =>
      bench.sluice(['upload', images, '--batch', 'b', '--mode', mode], {
        wraps: [fastClock(60)],
        signal,
      });
    const sendAll = async (): Promise<void> => {
      expect(await bench.sluice(['resume'])).toMatchObject({ exitCode: 0 });
      expect(await send()).toMatchObject({ exitCode: 0 });
      expect(bench.service.state.objects('b')).toHaveLength(PLANNED);
    };
    expect(await bench.sluice(['pause'])).toMatchObject({ exitCode: 0 });
    const stop = new AbortController();
    const planning = send(stop.signal);
    const isPlanned = async (): Promise<boolean> =>
      (await bench.sluice(['status'], { json: true })).stdout.includes(`"sending":${PLANNED}`);
    await expect.poll(isPlanned).toBe(true);
    stop.abort();
    await planning;
    const older = join(bench.directory, 'older');
    await cp(bench.dataDirectory, older, { recursive: true });
    await sendAll();
    await rm(bench.dataDirectory, { recursive: true });
    await cp(older, bench.dataDirectory, { recursive: true });
    await sendAll();
  },
);
