/** `sluice problems --ignore`: while a program runs; it lasts when the same command runs again, until the content changes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sluiceError } from '../../main/engine/core/errors.ts';
import { parkedItems, retryItems } from '../../main/engine/decisions/problems.ts';
import { openEngine } from '../../main/engine/host/engine.ts';
import { writeMeta } from '../../main/engine/store/meta.ts';
import type { Store } from '../../main/engine/store/store.ts';
import { noteWait, waitReasonOf } from '../../main/engine/store/tables/waits.ts';
import { systemClock } from '../../main/systemClock.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';
import { valueOf } from '../helpers/results.ts';

const T = 1_700_000_000_000;
const NO_KEY = { SLUICE_API_KEY: '' };

interface Scene {
  readonly bench: Bench;
  readonly half: string;
  upload(): Promise<{ readonly exitCode: number }>;
  problems(): Promise<readonly number[]>;
  count(): Promise<unknown>;
}

/** One complete image, and half of one, which needs a person. */
async function scene(): Promise<Scene> {
  const bench = await createBench();
  const directory = join(bench.directory, 'images');
  const half = join(directory, 'half.jpg');
  await mkdir(directory);
  await writeFile(join(directory, 'a.jpg'), tinyJpeg(1));
  await writeFile(half, tinyJpeg(3).subarray(0, -2));
  return {
    bench,
    half,
    upload: () => bench.sluice(['upload', directory, '--batch', 'shelf']),
    count: async () => Object(await bench.result(['batch', 'count', 'shelf'])).count,
    problems: async () => {
      const { stdout } = await bench.sluice(['problems'], { json: true, environment: NO_KEY });
      const { problems } = Object(eventsOf(stdout)[0]?.['data']);
      return Array.isArray(problems) ? problems.map(({ id }) => Number(id)) : [];
    },
  };
}

test('an ignored file no longer needs a person, while a program runs and without a key', async () => {
  const { bench, half, upload, problems, count } = await scene();
  expect((await upload()).exitCode).toBe(3);
  const [id = 0] = await problems();
  const ports = { clock: systemClock, log: { write: () => undefined } };
  const owner = valueOf(openEngine(bench.dataDirectory, 'pid 1 (the window)', ports));
  const ignored = await bench.result(['problems', '--ignore', String(id)], { environment: NO_KEY });
  owner.close();
  expect(ignored).toEqual({ ignored: [id] });
  expect(await problems()).toEqual([]);
  const told = await bench.result(['why', half], { environment: NO_KEY });
  expect(String(Object(told).headline)).toMatch(/^Skipped: You chose to ignore/);

  // The same command leaves it out, and succeeds.
  expect((await upload()).exitCode).toBe(0);
  expect(await count()).toBe(1);
  // Now complete: that is different content.
  await writeFile(half, tinyJpeg(3));
  expect((await upload()).exitCode).toBe(0);
  expect(await count()).toBe(2);
});

test('all at once, and one comes back by --retry', async () => {
  const { bench, upload, problems } = await scene();
  await upload();
  const [id = 0] = await problems();
  expect((await bench.sluice(['problems', '--ignore', 'all'])).exitCode).toBe(0);
  expect(await bench.result(['problems', '--ignore', 'all'])).toEqual({ ignored: [] });
  expect((await bench.sluice(['problems', '--ignore', '1', '--retry', '1'])).exitCode).toBe(2);
  const nothing = await bench.sluice(['problems', '--retry', 'all']);
  expect(nothing).toMatchObject({ exitCode: 0, stderr: 'Nothing needs attention.\n' });
  expect((await bench.sluice(['problems', '--retry', String(id)])).exitCode).toBe(3);
  expect(await problems()).toEqual([id]);
});

test('--retry sends to a batch that the service refused, once it accepts it', async () => {
  const bench = await createBench();
  for (const seed of [1, 2, 3, 4])
    await writeFile(join(bench.directory, `${seed}.jpg`), tinyJpeg(seed));
  const refusal = { kind: 'status', status: 400, body: { error: 'no room' } } as const;
  bench.service.faults.always('POST', /\/upload\/image$/, refusal);
  const upload = ['upload', bench.directory, '--batch', 'b', '--mode', 'single'];
  expect((await bench.sluice(upload)).exitCode).toBe(3);
  expect((await bench.sluice(['problems'])).stdout).toContain('Nothing is sent to batch b for now');
  bench.service.faults.clear();
  expect((await bench.sluice(['problems', '--retry', 'all'])).exitCode).toBe(0);
  expect((await bench.sluice(['problems'])).stdout).toBe('Nothing needs attention.\n');
});

test('how to count a file as delivered is said where that can be done', async () => {
  const { bench, upload } = await scene();
  await upload();
  const before = await bench.sluice(['problems']);
  expect(before.stdout).not.toContain('--delivered');
  const ledger = new DatabaseSync(join(bench.dataDirectory, 'ledger.db'));
  ledger.exec(`UPDATE items SET reason = 'upload.unproven' WHERE state = 'parked'`);
  ledger.close();
  const after = await bench.sluice(['problems']);
  expect(after.stdout).toContain('It arrived: --delivered ID.');
});

test('files that wait for a drive that is gone for good are left out, and no others', async () => {
  const { bench, half, upload, problems } = await scene();
  await upload();
  const [id = 0] = await problems();
  const change = (work: (store: Store) => void): void => {
    const ports = { clock: systemClock, log: { write: () => undefined } };
    const owner = valueOf(openEngine(bench.dataDirectory, 'pid 1 (the window)', ports));
    owner.store.transaction(() => work(owner.store));
    owner.close();
  };
  change((store) => retryItems(store, parkedItems(store, null), T));
  const away = ['problems', '--ignore', 'away'];
  expect(await bench.result(away)).toEqual({ ignored: [] });
  change((store) => {
    writeMeta(store, `drive:${dirname(half)}`, 'left');
    noteWait(store, 1, 'drive', waitReasonOf(sluiceError('disk.missing'), null), T);
  });
  expect((await bench.sluice(['problems'])).stdout).toContain('sluice problems --ignore away');
  expect(await bench.result(away, { environment: NO_KEY })).toEqual({ ignored: [id] });
  expect(await bench.sluice(['problems'])).toMatchObject({ exitCode: 0 });
  expect((await bench.sluice(['problems', '--retry', 'away'])).exitCode).toBe(2);
});
