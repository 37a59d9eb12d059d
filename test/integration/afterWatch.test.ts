/** What a watch has begun, a command ends: files of a watch are in the ledger with the batch that its rule chose. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tinyImages, tinyJpeg } from '../helpers/media.ts';
import { type Bench, createBench } from './cliRun.ts';
import { fastClock, type Wrap } from './ports.ts';

const POST = /\/upload\/image$/;

/** A file that stays incomplete is given up after a minute: here after a second. */
const minutesAsSeconds: Wrap = (ports) => {
  const began = ports.clock.now();
  const now = (): number => began + (ports.clock.now() - began) * 60;
  const fast = fastClock(60)(ports);
  return { ...fast, clock: { ...fast.clock, now } };
};

async function images(bench: Bench, number: number): Promise<string> {
  const directory = join(bench.directory, 'images');
  await mkdir(directory);
  for (const { name, content } of tinyImages(number))
    await writeFile(join(directory, name), content);
  return directory;
}

/** Every file is in the batch exactly once. */
async function expectOnce(bench: Bench, directory: string, batchId: string): Promise<void> {
  const stored = bench.service.state.objects(batchId).map(({ name }) => name);
  expect([...stored].sort()).toEqual([...(await readdir(directory))].sort());
}

test('an upload ends what an interrupted watch has left', async () => {
  const bench = await createBench();
  const directory = await images(bench, 60);
  const stop = new AbortController();
  bench.service.faults.always('POST', POST, { kind: 'delay', ms: 100 });
  const single = [directory, '--batch', 'b', '--mode', 'single'];
  const watch = bench.sluice(['watch', ...single, '--settle', '1'], { signal: stop.signal });
  await vi.waitUntil(() => bench.service.state.objects('b').length > 2, 60_000);
  stop.abort();
  expect((await watch).exitCode).toBe(130);
  expect(bench.service.state.objects('b').length).toBeLessThan(60);
  bench.service.faults.clear();
  // What was being sent at the end is looked for until it can no longer arrive: half a minute.
  const upload = bench.sluice(['upload', ...single], { wraps: [fastClock(20)] });
  expect(await upload).toMatchObject({ exitCode: 0 });
  await expectOnce(bench, directory, 'b');
});

test.each(['b', 'day-{date}'])('problems --retry sends a file of a watch to %s', async (batch) => {
  const bench = await createBench();
  const directory = await images(bench, 3);
  bench.service.faults.next('POST', POST, { kind: 'status', status: 422, body: { error: 'no' } });
  const watch = [
    'watch',
    directory,
    '--batch',
    batch,
    '--mode',
    'single',
    '--settle',
    '1',
    '--once',
  ];
  expect(await bench.sluice(watch)).toMatchObject({ exitCode: 3 });
  expect(await bench.sluice(['problems', '--retry', 'all'])).toMatchObject({ exitCode: 0 });
  const [id = ''] = [...bench.service.state.batches.keys()];
  await expectOnce(bench, directory, id);
});

test.each([
  ['by its date', 'day-{date}', [], /^day-\d/],
  ['by the number of files before it', 'lot-{n}', ['--per-batch', '2'], /^lot-2$/],
] as const)(
  'problems --retry lets the rule of the watch choose %s where a file goes that had no batch yet',
  async (_, batch, more, expected) => {
    const bench = await createBench();
    const directory = await images(bench, 2);
    const last = join(directory, 'last.jpg');
    await writeFile(last, tinyJpeg(9).subarray(0, 60));
    const watch = ['watch', directory, '--batch', batch, ...more, '--mode', 'single'];
    const once = [...watch, '--settle', '1', '--once'];
    expect(await bench.sluice(once, { wraps: [minutesAsSeconds] })).toMatchObject({ exitCode: 3 });
    await writeFile(last, tinyJpeg(9));
    expect(await bench.sluice(['problems', '--retry', 'all'])).toMatchObject({ exitCode: 0 });
    const ids = [...bench.service.state.batches.keys()];
    const holds = (id: string): boolean =>
      bench.service.state.objects(id).some(({ name }) => name === 'last.jpg');
    expect(ids.filter(holds)).toEqual([expect.stringMatching(expected)]);
    const stored = ids.flatMap((id) => bench.service.state.objects(id).map(({ name }) => name));
    expect(stored.sort()).toEqual([...(await readdir(directory))].sort());
  },
);
