/** Two computers upload into one batch at the same moment, and neither sees the other before it has sent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sample } from '../helpers/media.ts';
import { CHARACTER_TIMES } from './characters.ts';
import { type Bench, createBench, runCommand } from './cliRun.ts';
import { sha256 } from './localFiles.ts';

const MIB = 1024 * 1024;

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

function upload(bench: Bench, letter: string) {
  const environment = {
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_TEST_TIMES: JSON.stringify(CHARACTER_TIMES),
    NODE_ENV: 'test',
  };
  const source = join(bench.directory, `source-${letter}`);
  const given = ['upload', source, '--batch', 'shared'];
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
