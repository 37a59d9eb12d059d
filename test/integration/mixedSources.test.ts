/** Images and videos for one batch id: which go there, which to the second batch, and that both arrive whichever came first. */
import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { sample, tinyJpeg, truncated } from '../helpers/media.ts';
import { type Bench, createBench } from './cliRun.ts';
import { createWorld } from './world.ts';

test('images that come after the videos of a batch arrive in a second batch', async () => {
  const world = await createWorld();
  await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.remember();
  expect((await world.upload()).tally.confirmed).toBe(1);
  await world.local.writeImages(3);
  const second = await world.upload();
  expect(second.end.kind).toBe('settled');
  expect(second.tally).toMatchObject({ found: 4, confirmed: 4, attention: 0 });
  expect(world.ledger().batches).toMatchObject([
    { batchId: 'batch-1', mode: 'single' },
    { batchId: 'batch-1-images', mode: 'single' },
  ]);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('a video does not wait for a damaged image next to it', async () => {
  const world = await createWorld();
  await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.write('half.jpg', truncated(await sample('jpeg')));
  const { end, tally } = await world.upload();
  expect(end.kind).toBe('settled');
  expect(tally).toMatchObject({ found: 2, confirmed: 1, attention: 1 });
});

describe('--job-type', () => {
  async function mixedBench(): Promise<Bench> {
    const bench = await createBench();
    await mkdir(join(bench.directory, 'source'));
    await writeFile(join(bench.directory, 'source', 'a.jpg'), tinyJpeg(1));
    await writeFile(join(bench.directory, 'source', 'b.mp4'), await sample('mp4'));
    return bench;
  }

  test.each([
    ['video', { shelf: 'video', 'shelf-images': 'image' }],
    ['simple-video-processing-v1', { shelf: 'video', 'shelf-images': 'image' }],
    ['image', { shelf: 'image', 'shelf-videos': 'video' }],
  ])('%s says which kind goes to the batch that was named', async (type, expected) => {
    const bench = await mixedBench();
    const source = join(bench.directory, 'source');
    const given = ['upload', source, '--batch', 'shelf', '--job-type', type];
    const end = await bench.sluice(given, { json: true });
    expect(end.exitCode, end.stderr).toBe(0);
    const filled = end.stdout
      .trim()
      .split('\n')
      .map((line) => Object(JSON.parse(line)))
      .filter(({ event }) => event === 'batch')
      .map(({ batch, kind }) => [batch, kind]);
    expect(Object.fromEntries(filled)).toEqual(expected);
    const summary = Object(JSON.parse(end.stdout.trim().split('\n').at(-1) ?? ''));
    expect(summary).toMatchObject({ event: 'summary', found: 2, confirmed: 2 });
    expect([...summary.batches].sort()).toEqual(Object.keys(expected).sort());
  });

  test.each(['sound', 'constructor', 'Image'])('%s is a wrong usage', async (type) => {
    const bench = await mixedBench();
    const end = await bench.sluice(['upload', bench.directory, '--batch', 'b', '--job-type', type]);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('--job-type is image or video');
  });
});
