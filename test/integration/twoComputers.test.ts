/** Two computers upload into one batch at the same moment, and neither sees the other before it has sent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { CHARACTER_TIMES } from './characters.ts';
import { type Bench, createBench, runCommand } from './cliRun.ts';
import { sha256 } from './localFiles.ts';

const MIB = 1024 * 1024;
const IMAGES = 10;

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

function upload(bench: Bench, letter: string, more: readonly string[] = []) {
  const environment = {
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_TEST_TIMES: JSON.stringify(CHARACTER_TIMES),
    NODE_ENV: 'test',
  };
  const source = join(bench.directory, `source-${letter}`);
  const given = ['upload', source, '--batch', 'shared', ...more];
  return runCommand(given, join(bench.directory, `data-${letter}`), environment, { json: true });
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

test.each([503, 403])(
  'images of equal names all arrive, also after reads that end with %d',
  async (status) => {
    const bench = await createBench({ settings: { sameName: 'replaces', listingDelayMs: 1_000 } });
    const wanted = new Set<string>();
    for (const [at, letter] of ['a', 'b'].entries()) {
      const source = join(bench.directory, `source-${letter}`);
      await mkdir(source, { recursive: true });
      for (let number = 0; number < IMAGES; number += 1) {
        const content = tinyJpeg(at * IMAGES + number, 2_000);
        await writeFile(join(source, `frame-${number}.jpg`), content);
        wanted.add(sha256(content));
      }
    }
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
