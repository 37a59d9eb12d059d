/** Two computers upload files of equal names into one batch, and each opened it before the other had sent anything. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { CHARACTER_TIMES } from './characters.ts';
import { type Bench, type CliOptions, createBench, runCommand } from './cliRun.ts';
import { sha256 } from './localFiles.ts';
import { alteringStorage, fastClock } from './ports.ts';

const MIB = 1024 * 1024;
const IMAGES = 10;
/** Reads that fail end by themselves, and a slow computer must not take a name alone for proof before they do. */
const TIMES = { ...CHARACTER_TIMES, comparePatienceMs: 60_000, refusalPatienceMs: 60_000 };

/** Writes the videos of one computer; those of the other have the same names and lengths. Returns the hashes of their contents. */
async function writeVideos(
  directory: string,
  letter: string,
  count: number,
  bytes: number,
): Promise<readonly string[]> {
  await mkdir(directory);
  const hashes: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(bytes);
    head.write('free', 4);
    const fill = Buffer.alloc(bytes - head.length, `${letter}${number} `);
    const content = Buffer.concat([await sample('mp4'), head, fill]);
    await writeFile(join(directory, `clip-${number}.mp4`), content);
    hashes.push(sha256(content));
  }
  return hashes;
}

function run(bench: Bench, letter: string, given: readonly string[], more: CliOptions = {}) {
  const environment = {
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_TEST_TIMES: JSON.stringify(TIMES),
    NODE_ENV: 'test',
    ...more.environment,
  };
  const options = { ...more, json: true };
  return runCommand(given, join(bench.directory, `data-${letter}`), environment, options);
}

function upload(bench: Bench, letter: string, more: readonly string[] = [], how: CliOptions = {}) {
  const source = join(bench.directory, `source-${letter}`);
  return run(bench, letter, ['upload', source, '--batch', 'shared', ...more], how);
}

test.for([
  ['small videos', 10, 20_000],
  ['large videos', 2, 9 * MIB],
] as const)('%s of equal names and lengths all arrive', async ([, count, bytes]) => {
  const bench = await createBench({ settings: { sameName: 'replaces', listingDelayMs: 2_500 } });
  const wanted: string[] = [];
  for (const letter of ['a', 'b']) {
    const source = join(bench.directory, `source-${letter}`);
    wanted.push(...(await writeVideos(source, letter, count, bytes)));
  }
  const ends = await Promise.all([upload(bench, 'a'), upload(bench, 'b')]);
  for (const end of ends) expect(end.exitCode, end.stderr).toBe(0);
  const there = bench.service.state.objects('shared').map((object) => object.sha256);
  expect(new Set(there)).toEqual(new Set(wanted));
});

/** Writes the images of both computers, with equal names. Returns the hashes of their contents. */
async function writeBothImages(bench: Bench, count = IMAGES): Promise<Set<string>> {
  const wanted = new Set<string>();
  for (const [at, letter] of ['a', 'b'].entries()) {
    const source = join(bench.directory, `source-${letter}`);
    await mkdir(source, { recursive: true });
    for (let number = 0; number < count; number += 1) {
      const content = tinyJpeg(at * IMAGES + number, 2_000);
      await writeFile(join(source, `frame-${number}.jpg`), content);
      wanted.add(sha256(content));
    }
  }
  return wanted;
}

test.each([503, 403])(
  'images of equal names all arrive, also after reads that end with %d',
  async (status) => {
    const bench = await createBench({ settings: { sameName: 'replaces', listingDelayMs: 1_000 } });
    const wanted = await writeBothImages(bench);
    // Each of both computers fails to read each object several times in a row.
    bench.service.faults.next('GET', /^\/storage\//, { kind: 'status', status }, IMAGES * 10);
    const ends = await Promise.all([
      upload(bench, 'a', ['--mode', 'single']),
      upload(bench, 'b', ['--mode', 'single']),
    ]);
    for (const end of ends) expect(end.exitCode, end.stderr).toBe(0);
    const there = bench.service.state.objects('shared').map((object) => object.sha256);
    expect(new Set(there)).toEqual(wanted);
  },
);

test('images of equal names that cannot be read are not believed: a person decides, and then all arrive', async () => {
  const bench = await createBench({ settings: { sameName: 'replaces', listingDelayMs: 1_000 } });
  const wanted = await writeBothImages(bench, 2);
  // By these names, each computer sees that another one fills the batch.
  for (const letter of ['a', 'b']) {
    const content = tinyJpeg(letter.charCodeAt(0), 2_000);
    await writeFile(join(bench.directory, `source-${letter}`, `only-${letter}.jpg`), content);
    wanted.add(sha256(content));
  }
  bench.service.faults.next('GET', /^\/storage\//, { kind: 'status', status: 403 }, 100_000);
  const times = { ...TIMES, comparePatienceMs: 6_000, refusalPatienceMs: 6_000 };
  const environment = { SLUICE_TEST_TIMES: JSON.stringify(times) };
  const send = (letter: string) => upload(bench, letter, ['--mode', 'single'], { environment });
  const ends = await Promise.all([send('a'), send('b')]);
  for (const end of ends) expect(end.exitCode, end.stdout).toBe(3);
  for (const letter of ['a', 'b']) {
    const { stdout } = await run(bench, letter, ['problems']);
    const ids = [...stdout.matchAll(/"id":(\d+)/g)].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      const end = await run(bench, letter, ['problems', '--retry', id]);
      expect(end.exitCode, end.stdout).toBe(0);
    }
  }
  const there = bench.service.state.objects('shared').map((object) => object.sha256);
  expect(new Set(there)).toEqual(wanted);
});

test('images of equal names all arrive, also in a storage that alters all of them', async () => {
  const bench = await createBench({ settings: { sameName: 'replaces', listingDelayMs: 300 } });
  const wanted = await writeBothImages(bench);
  const { url, apiKey } = bench.service;
  const environment = { SLUICE_API_URL: url, SLUICE_API_KEY: apiKey };
  const send = (letter: string) => {
    const source = join(bench.directory, `source-${letter}`);
    const given = ['upload', source, '--batch', 'shared', '--mode', 'single'];
    const wraps = [fastClock(60), alteringStorage()];
    return runCommand(given, join(bench.directory, `data-${letter}`), environment, { wraps });
  };
  const ends = await Promise.all([send('a'), send('b')]);
  for (const end of ends) expect(end.exitCode, end.stderr).toBe(0);
  const there = new Set(bench.service.state.objects('shared').map((object) => object.sha256));
  expect([...wanted].filter((content) => !there.has(content))).toEqual([]);
});

test.each(['single', 'bulk'])(
  'in mode %s, one that was paused while the other sent everything replaces nothing',
  async (mode) => {
    const bench = await createBench({ settings: { sameName: 'replaces' } });
    const wanted = await writeBothImages(bench);
    expect((await run(bench, 'a', ['pause'])).exitCode).toBe(0);
    const paused = upload(bench, 'a', ['--mode', mode]);
    // Planned counts as sending: it has found an empty batch, and its files have names.
    const planned = async (): Promise<boolean> =>
      (await run(bench, 'a', ['status'])).stdout.includes(`"sending":${IMAGES}`);
    await expect.poll(planned).toBe(true);
    const other = await upload(bench, 'b', ['--mode', mode]);
    expect(other.exitCode, other.stderr).toBe(0);
    expect((await run(bench, 'a', ['resume'])).exitCode).toBe(0);
    const end = await paused;
    expect(end.exitCode, end.stderr).toBe(0);
    const there = bench.service.state.objects('shared').map((object) => object.sha256);
    expect(new Set(there)).toEqual(wanted);
    expect(there).toHaveLength(wanted.size);
  },
);

test('of two that open a batch at the same moment, the one that registers its archive second replaces nothing', async () => {
  const bench = await createBench({ settings: { sameName: 'replaces' } });
  const wanted = await writeBothImages(bench);
  const free = Promise.withResolvers<void>();
  const held = { kind: 'held', until: free.promise } as const;
  bench.service.faults.next('POST', /\/bulk-upload\//, held);
  const late = upload(bench, 'a', ['--mode', 'bulk']);
  await expect.poll(() => bench.service.faults.rules.length).toBe(0);
  const other = await upload(bench, 'b', ['--mode', 'bulk']);
  expect(other.exitCode, other.stderr).toBe(0);
  free.resolve();
  const end = await late;
  expect(end.exitCode, end.stderr).toBe(0);
  const there = bench.service.state.objects('shared').map((object) => object.sha256);
  expect(new Set(there)).toEqual(wanted);
});

test.each(['runs on', 'is stopped'])(
  'a computer whose doubtful video is refused for a while, and that %s meanwhile, does not replace one that the other sent',
  async (how) => {
    const bench = await createBench({ settings: { sameName: 'replaces' } });
    const wanted: string[] = [];
    for (const letter of ['a', 'b']) {
      const source = join(bench.directory, `source-${letter}`);
      wanted.push(...(await writeVideos(source, letter, 1, 20_000)));
    }
    let refused: string | null = null;
    let isOver = false;
    let tries = 0;
    bench.service.faults.choose((method, address) => {
      if (method !== 'PUT' || isOver || (refused !== null && refused !== address)) return null;
      refused = address;
      tries += 1;
      // Of the first try, nothing shows whether it arrived.
      return tries === 1
        ? { kind: 'cutWhileReceiving', afterBytes: 200 }
        : { kind: 'status', status: 503 };
    });
    const stop = new AbortController();
    const first = upload(bench, 'a', [], { signal: stop.signal });
    await expect.poll(() => tries).toBeGreaterThan(1);
    if (how === 'is stopped') {
      stop.abort();
      await first;
    }
    const other = await upload(bench, 'b');
    expect(other.exitCode, other.stderr).toBe(0);
    isOver = true;
    const end = await (how === 'is stopped' ? upload(bench, 'a') : first);
    expect(end.exitCode, end.stderr).toBe(0);
    const there = bench.service.state.objects('shared').map((object) => object.sha256);
    expect(new Set(there)).toEqual(new Set(wanted));
  },
);
