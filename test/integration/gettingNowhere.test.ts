/** Files that can never arrive, however often they are sent: a command that ends by itself gives up and says so. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { createBench, eventsOf } from './cliRun.ts';
import { fastClock, storageAnswers, type Wrap } from './ports.ts';

/** The bench's upload of some images, one by one, and a video, minutes in moments. */
async function withFiles(...wraps: readonly Wrap[]) {
  const bench = await createBench();
  const files = join(bench.directory, 'files');
  await mkdir(files);
  for (let number = 0; number < 6; number += 1)
    await writeFile(join(files, `${String(number)}.jpg`), tinyJpeg(number, 300_000));
  await writeFile(join(files, 'clip.mp4'), await clipOf('clip'));
  const given = ['upload', files, '--batch', 'b', '--mode', 'single'];
  const upload = () => bench.sluice(given, { wraps: [fastClock(700), ...wraps], json: true });
  return { bench, upload };
}

test('a storage that states a wrong checksum of everything is not sent the same bytes forever', async () => {
  const { bench, upload } = await withFiles(
    storageAnswers((answer, { method }) => {
      const headers = { ...answer.headers, 'x-goog-hash': 'crc32c=AAAAAA==' };
      return method === 'PUT' ? { ...answer, status: 200, headers } : answer;
    }),
  );
  const end = await upload();
  expect(end.exitCode).toBe(3);
  expect(eventsOf(end.stdout).at(-1)).toMatchObject({ confirmed: 6, open: 1 });
  expect(bench.service.log.count('PUT', /./)).toBeGreaterThan(2);
});

const NEVER: Readonly<Record<string, Fault>> = {
  'is cut at its end': { kind: 'cutWhileReceiving', afterBytes: 1e9 },
  'is cut on its way': { kind: 'cutWhileReceiving', afterBytes: 100_000 },
  'is answered 500': { kind: 'status', status: 500, body: { error: 'no' } },
};

test.each(Object.entries(NEVER))('what always %s ends the command', async (_, fault) => {
  const { bench, upload } = await withFiles();
  bench.service.faults.always('POST', /\/upload\/image$/, fault);
  bench.service.faults.always('PUT', /./, fault);
  const end = await upload();
  expect(end.exitCode).toBe(3);
  expect(eventsOf(end.stdout).at(-1)).toMatchObject({ found: 7, confirmed: 0 });
});
