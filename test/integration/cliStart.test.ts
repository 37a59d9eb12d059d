/** Commands that start while something blocks the way to the service. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import type { OutageOrder } from '../service/outages.ts';
import { createBench, eventsOf } from './cliRun.ts';
import { fastClock } from './ports.ts';

const FORBIDDEN = { error: { message: 'forbidden' } };

test.each<OutageOrder['answer']>([
  { kind: 'html', status: 404 },
  { kind: 'html', status: 403 },
  { kind: 'status', status: 403, body: FORBIDDEN },
  { kind: 'status', status: 503 },
])('an upload that starts in an outage (%o) goes on by itself', async (answer) => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, 'a.jpg'), tinyJpeg(1));
  const outage = await bench.service.outage({ answer });
  const upload = bench.sluice(['upload', images, '--batch', 'b'], { wraps: [fastClock(10)] });
  await expect.poll(() => outage.met(), { timeout: 20_000 }).toBeGreaterThan(8);
  await outage.end();
  const end = await upload;
  expect(end).toMatchObject({ exitCode: 0 });
  expect(end.stderr.match(/Sluice asks again every 2 seconds\./g)).toHaveLength(1);
});

test('a service that names a time is not asked earlier', async () => {
  const bench = await createBench();
  const busy = { kind: 'status', status: 429, retryAfter: 25 } as const;
  bench.service.faults.always('GET', /^\/$/, busy);
  const images = bench.directory;
  const end = await bench.sluice(['upload', images, '--batch', 'b'], { wraps: [fastClock(200)] });
  expect(end).toMatchObject({ exitCode: 5 });
  expect(end.stderr).toContain('Sluice asks again in 25 seconds.');
  expect(bench.service.log.count('GET', /^\/$/)).toBeLessThan(6);
});

test('a permanent 404 page is not wrong usage, and a service that says it cannot answer is', async () => {
  const bench = await createBench();
  const outage = await bench.service.outage({ answer: { kind: 'html', status: 404 } });
  const wraps = [fastClock(200)];
  const end = await bench.sluice(['batch', 'list'], { json: true, wraps });
  expect(end.exitCode).toBe(5);
  expect(eventsOf(end.stdout)).toMatchObject([
    {
      event: 'error',
      code: 'network.intercepted',
      message: expect.stringContaining('set SLUICE_WORKSPACE'),
    },
  ]);
  await outage.end();
  const body = { error: { message: 'no such path' } };
  bench.service.faults.always('GET', /^\/$/, { kind: 'status', status: 404, body });
  const untold = await bench.sluice(['upload', bench.directory, '--batch', 'b'], { wraps });
  expect(untold).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('WORKSPACE') });
});

test('a service that takes long to answer is waited for with a word, before and after the start', async () => {
  const bench = await createBench();
  await writeFile(join(bench.directory, 'a.jpg'), tinyJpeg(1));
  const given = ['upload', join(bench.directory, 'a.jpg'), '--batch', 'b'];
  const said = async (path: RegExp, words: string): Promise<void> => {
    bench.service.faults.clear();
    bench.service.faults.always('GET', path, { kind: 'hang' });
    const stop = new AbortController();
    const asked = bench.service.log.count('GET', path);
    const upload = bench.sluice(given, { wraps: [fastClock(20)], signal: stop.signal });
    const isAsked = () => bench.service.log.count('GET', path) > asked;
    await expect.poll(isAsked, { timeout: 20_000 }).toBe(true);
    // Half a minute, by the clock of the command.
    await setTimeout(1_500);
    stop.abort();
    const end = await upload;
    expect(end).toMatchObject({ exitCode: 130, stderr: expect.stringContaining(words) });
  };
  await said(/^\/$/, 'Waiting for the service to answer');
  await said(/\/count$/, 'the service has been silent for');
});

test('for a watch of new files, what arrives before the service answers is new', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, 'old.jpg'), tinyJpeg(1));
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  bench.service.faults.next('GET', /^\/$/, { kind: 'held', until });
  // File times are coarser than clocks.
  await setTimeout(20);
  const given = ['watch', images, '--batch', 'b', '--new-only', '--once', '--settle', '1'];
  const watch = bench.sluice(given, { json: true });
  await expect.poll(() => bench.service.log.count('GET', /^\/$/)).toBe(1);
  await writeFile(join(images, 'new.jpg'), tinyJpeg(2));
  answer();
  const end = await watch;
  expect(eventsOf(end.stdout).at(-1)).toMatchObject({ event: 'summary', found: 1, confirmed: 1 });
});
