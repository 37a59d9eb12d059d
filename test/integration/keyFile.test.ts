/** A watch whose key is replaced at the service goes on with the one that is put into its file. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createBench, eventsOf } from './cliRun.ts';
import { fastClock } from './ports.ts';

test('a key that is replaced at the service is read from its file again', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  const key = join(bench.directory, 'key');
  await mkdir(images);
  const writeKey = (text: string): Promise<void> => writeFile(key, text, { mode: 0o600 });
  const status = async () => {
    const environment = { SLUICE_API_KEY: '' };
    const { stdout } = await bench.sluice(['status'], { json: true, environment });
    return Object(eventsOf(stdout)[0]?.['data']);
  };
  const confirmed = async (): Promise<unknown> => (await status()).batches[0]?.confirmed;
  await writeKey(bench.service.apiKey);
  await writeFile(join(images, 'a.jpg'), tinyJpeg(1));
  const stop = new AbortController();
  const given = ['watch', images, '--batch', 'b', '--settle', '1', '--api-key-file', key];
  const watch = bench.sluice(given, { wraps: [fastClock(20)], signal: stop.signal });
  await expect.poll(confirmed, { timeout: 20_000 }).toBe(1);

  bench.service.faults.always('*', /./, { kind: 'status', status: 401 });
  await writeKey('the-next-key');
  await writeFile(join(images, 'b.jpg'), tinyJpeg(2));
  // It has begun again, and is refused with that one, too.
  const begun = { kind: 'program', code: 'auth.rejected' };
  await expect
    .poll(async () => (await status()).waiting[0], { timeout: 20_000 })
    .toMatchObject(begun);

  bench.service.faults.clear();
  await writeKey(bench.service.apiKey);
  await expect.poll(confirmed, { timeout: 20_000 }).toBe(2);
  stop.abort();
  expect(await watch).toMatchObject({ exitCode: 130 });
});
