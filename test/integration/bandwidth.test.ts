/** A bandwidth limit over the real network: never faster, nothing lost, nothing sent twice. That it is never much slower is benchmarked. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import type { Clock } from '../../main/engine/core/ports.ts';
import { createBench } from './cliRun.ts';
import { sha256 } from './outputScene.ts';
import { fastClock, type Wrap } from './ports.ts';
import { createWorld, type World } from './world.ts';

const CAP = 2_000_000;
/** What a token bucket may have saved up, plus one slice, ms. */
const SAVED_MS = 280;

async function writeImages(world: World, count: number, padBytes: number): Promise<number> {
  let bytes = 0;
  for (let number = 0; number < count; number += 1) {
    const image = tinyJpeg(number, padBytes);
    await world.local.write(`${number}.jpg`, image);
    bytes += image.length;
  }
  await world.local.remember();
  return bytes;
}

/** Passes the pipeline's clock to `take`, as it is after the other wraps. */
function watched(take: (clock: Clock) => void): Wrap {
  return (ports) => {
    take(ports.clock);
    return ports;
  };
}

test.each(['single', 'bulk'] as const)('%s uploads together keep to the bound', async (mode) => {
  const world = await createWorld();
  const bytes = await writeImages(world, 40, 200_000);
  const clocks: Clock[] = [];
  let first: number | null = null;
  let last = 0;
  const { tally } = await world.upload({
    mode,
    wraps: [fastClock(8), watched((clock) => clocks.push(clock))],
    capBytesPerSecond: () => {
      const now = clocks[0]?.monotonicMs() ?? 0;
      // First asked when the first bytes are ready.
      first ??= now;
      last = now;
      return CAP;
    },
  });
  expect(tally).toMatchObject({ confirmed: 40, attention: 0 });
  const atLeastMs = (bytes / CAP) * 1000 * 0.95 - SAVED_MS;
  expect(atLeastMs).toBeGreaterThan(3000);
  // It was last asked at most half a second before the last byte.
  expect(last - (first ?? 0)).toBeGreaterThan(atLeastMs - 500);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('a limit that is lifted midway releases the rest', async () => {
  const world = await createWorld();
  await writeImages(world, 10, 1_000_000);
  let asked = 0;
  const { tally } = await world.upload({
    mode: 'bulk',
    wraps: [fastClock(4)],
    // 10 MB at 1 kB/s would take hours.
    capBytesPerSecond: () => ((asked += 1) > 4 ? null : 1000),
  });
  expect(tally.confirmed).toBe(10);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('a pipeline that waits for its share stops at once', async () => {
  const world = await createWorld();
  await writeImages(world, 6, 500_000);
  const stop = new AbortController();
  const { end } = await world.upload({
    mode: 'bulk',
    signal: stop.signal,
    capBytesPerSecond: () => 1000,
    onProgress: (running) => {
      if (running.sentBytes() > 0) stop.abort();
    },
  });
  expect(end.kind).toBe('interrupted');
  expect((await world.upload({ mode: 'bulk' })).tally.confirmed).toBe(6);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('results are downloaded completely, within the rate limit of the settings', async () => {
  const bench = await createBench();
  const source = join(bench.directory, 'source');
  const results = join(bench.directory, 'results');
  await mkdir(source);
  const images = Array.from({ length: 8 }, (_, number) => tinyJpeg(number, 200_000));
  for (const [number, image] of images.entries()) {
    await writeFile(join(source, `${number}.jpg`), image);
  }
  expect((await bench.sluice(['upload', source, '--batch', 'b'])).exitCode).toBe(0);
  expect((await bench.sluice(['settings', '--bandwidth', '200k'])).exitCode).toBe(0);
  const clocks: Clock[] = [];
  const began: number[] = [];
  const watch = watched((clock) => {
    clocks.push(clock);
    began.push(clock.monotonicMs());
  });
  const wraps = [fastClock(4), watch];
  const end = await bench.sluice(['batch', 'download', 'b', '--to', results], { wraps });
  expect(end.exitCode, end.stderr).toBe(0);
  // The clock includes the start of the command: far less than the eight seconds that the limit demands.
  const bytes = images.reduce((sum, image) => sum + image.length, 0);
  const lasted = (clocks[0]?.monotonicMs() ?? 0) - (began[0] ?? 0);
  expect(lasted).toBeGreaterThan((bytes / 200_000) * 1000 * 0.95 - SAVED_MS);
  const fetched = (await readdir(results, { recursive: true })).filter((name) => /jpg$/.test(name));
  const contents = await Promise.all(fetched.map((name) => readFile(join(results, name))));
  expect(contents.map(sha256).sort()).toEqual(images.map(sha256).sort());
});
