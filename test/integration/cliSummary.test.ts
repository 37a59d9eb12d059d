/** The closing line of an upload, in words. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';

test.each([
  [0, 0, 0, 'No files were found.\n'],
  [1, 0, 0, '1 of 1 file confirmed by the service; '],
  [2, 1, 3, '2 of 3 files confirmed by the service, 1 needs attention (sluice problems); '],
  [0, 2, 3, '0 of 2 files confirmed by the service, 2 need attention (sluice problems); '],
])('%i images and %i that are cut off', async (whole, cut, exitCode, said) => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  for (let seed = 0; seed < whole + cut; seed += 1) {
    const content = tinyJpeg(seed);
    const bytes = seed < whole ? content : content.subarray(0, content.length / 2);
    await writeFile(join(images, `${String(seed)}.jpg`), bytes);
  }
  const end = await bench.sluice(['upload', images, '--batch', 'cups']);
  expect(end.exitCode).toBe(exitCode);
  expect(end.stderr).toContain(said);
});

test('the same command again says that the batch was deleted at the service, and sends nothing', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, '1.jpg'), tinyJpeg(1));
  const upload = () => bench.sluice(['upload', images, '--batch', 'cups']);
  expect((await upload()).stderr).not.toContain('any more');
  expect((await upload()).stderr).not.toContain('any more');
  // A count that is late is no sign of it.
  const late = { kind: 'wrongJson', text: '{"count":0}', status: 200 } as const;
  bench.service.faults.always('GET', /\/count$/, late);
  const asked = bench.service.log.count('GET', /\/count$/);
  expect((await upload()).stderr).not.toContain('any more');
  expect(bench.service.log.count('GET', /\/count$/)).toBeGreaterThan(asked);
  bench.service.faults.clear();
  bench.service.state.batches.delete('cups');
  const end = await upload();
  expect(end.stderr).toContain('The service has nothing in batch cups any more');
  expect(end.exitCode).toBe(0);
  expect(bench.service.state.batches.has('cups')).toBe(false);
});

test('the same command again says that the service counts fewer files than it had confirmed', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  for (const seed of [1, 2, 3]) await writeFile(join(images, `${seed}.jpg`), tinyJpeg(seed));
  const upload = () => bench.sluice(['upload', images, '--batch', 'cups']);
  expect((await upload()).stderr).not.toContain('The service counts');
  const fewer = { kind: 'wrongJson', text: '{"count":2}', status: 200 } as const;
  bench.service.faults.always('GET', /\/count$/, fewer);
  const end = await upload();
  expect(end.stderr).toContain('counts 2 files in batch cups, where it had confirmed 3:');
  expect(end.exitCode).toBe(0);
});

test('a watch says at once that its batch was deleted at the service, and what to do', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, '1.jpg'), tinyJpeg(1));
  const watch = ['watch', images, '--batch', 'cups', '--settle', '1'];
  const once = () => bench.sluice([...watch, '--once']);
  expect((await once()).stderr).not.toContain('any more');
  bench.service.state.batches.delete('cups');
  const said = 'The service has nothing in batch cups any more';
  expect((await once()).stderr.split(said)).toHaveLength(2);
  await writeFile(join(images, '2.jpg'), tinyJpeg(2));
  const stop = new AbortController();
  const running = bench.sluice(watch, { signal: stop.signal });
  const waiting = async () => Object(await bench.result(['status'])).waiting;
  const advice = 'use another batch id if it was deleted there (cups)';
  const wait = { code: 'batch.gone', sentence: expect.stringContaining(advice) };
  await expect
    .poll(waiting, { timeout: 20_000, interval: 200 })
    .toContainEqual(expect.objectContaining(wait));
  stop.abort();
  expect((await running).stderr).toContain(said);
});

test('a service that does not answer about one batch is not asked about the others', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  for (const folder of ['a', 'b', 'c']) {
    await mkdir(join(images, folder), { recursive: true });
    await writeFile(join(images, folder, '1.jpg'), tinyJpeg(folder.charCodeAt(0)));
  }
  const once = () =>
    bench.sluice(['watch', images, '--batch', 'cups-{folder}', '--settle', '1', '--once']);
  expect((await once()).exitCode).toBe(0);
  expect(bench.service.state.batches.size).toBe(3);
  const counted = () =>
    bench.service.log.requests
      .filter(({ path }) => path.endsWith('/count'))
      .map(({ path }) => path);
  const before = counted().length;
  bench.service.faults.always('GET', /\/count$/, { kind: 'status', status: 503 });
  expect((await once()).exitCode).toBe(0);
  expect(new Set(counted().slice(before)).size).toBe(1);
});
