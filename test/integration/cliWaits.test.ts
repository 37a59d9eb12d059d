/** `sluice status` and `sluice problems` agree about what waits, with and without a running program. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../main/engine/host/engine.ts';
import { ensureConnection } from '../../main/engine/store/tables/connections.ts';
import { noteWait } from '../../main/engine/store/tables/waits.ts';
import { systemClock } from '../../main/systemClock.ts';
import { createBench, eventsOf } from './cliRun.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { valueOf } from '../helpers/results.ts';

const NO_KEY = { SLUICE_API_KEY: '' };

test('what waits is in both, and needs attention after an hour', async () => {
  const bench = await createBench();
  const ports = { clock: systemClock, log: { write: () => undefined } };
  const opened = valueOf(openEngine(bench.dataDirectory, 'pid 1 (the window)', ports));
  const { store } = opened;
  const address = { apiUrl: bench.service.url, projectsUrl: bench.service.url };
  const id = ensureConnection(store, { ...address, workspace: 'demo' });
  const now = Date.now();
  const wait = { code: 'network.unresolved', detail: null, nextAt: null } as const;
  noteWait(store, id, 'connection', wait, now - 60_000);

  const look = async (name: string) => {
    const { exitCode, stdout } = await bench.sluice([name], { json: true, environment: NO_KEY });
    return { exitCode, waiting: Object(eventsOf(stdout)[0]?.['data']).waiting };
  };
  const [status, problems] = [await look('status'), await look('problems')];
  expect([status.exitCode, problems.exitCode]).toEqual([0, 0]);
  expect(status.waiting).toEqual([
    expect.objectContaining({
      workspace: 'demo',
      kind: 'connection',
      code: 'network.unresolved',
      attention: false,
      since: new Date(now - 60_000).toISOString(),
      next: null,
      sentence: expect.stringMatching(/^Everything in demo waits: .* continues by itself\.$/),
    }),
  ]);
  expect(problems.waiting).toHaveLength(1);
  const text = await bench.sluice(['problems'], { environment: NO_KEY });
  expect(text.stdout).toContain('Nothing needs attention.\nWaiting:\n  Everything');

  store.run('UPDATE waits SET since = ?', now - 2 * 3_600_000);
  expect((await look('status')).exitCode).toBe(0);
  const urgent = await look('problems');
  expect(urgent).toMatchObject({ exitCode: 3, waiting: [{ attention: true }] });
  opened.close();
  const ended = await bench.sluice(['status'], { environment: NO_KEY });
  expect(ended.stdout).toContain('Please look: Everything in demo waits');
  expect(ended.stdout).toContain('It continues when Sluice runs again.');
});

test('a pause is not said to end by itself', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, 'a.jpg'), tinyJpeg(1));
  await bench.sluice(['upload', images, '--batch', 'b']);
  await bench.sluice(['pause'], { environment: NO_KEY });
  const { stdout } = await bench.sluice(['problems'], { environment: NO_KEY });
  expect(stdout).toContain(
    'Everything is paused. It continues when you resume it. To resume: sluice resume\n',
  );
  expect(stdout).not.toContain('by itself');
  await bench.sluice(['resume'], { environment: NO_KEY });
  await bench.sluice(['pause', '--batch', 'b']);
  const status = await bench.sluice(['status'], { environment: NO_KEY });
  expect(status.stdout).toContain('Batch b is paused.');
  expect(status.stdout).toContain(' To resume: sluice resume --batch b\n');
});

test('with no files yet, a Sluice that runs is not said to be none', async () => {
  const bench = await createBench();
  const ports = { clock: systemClock, log: { write: () => undefined } };
  const opened = valueOf(openEngine(bench.dataDirectory, 'pid 1 (sluice upload)', ports));
  const status = () => bench.sluice(['status'], { environment: NO_KEY });
  const running =
    'Nothing yet. Sluice runs: pid 1 (sluice upload). It has found no files so far.\n';
  expect((await status()).stdout).toBe(running);
  opened.close();
  expect((await status()).stdout).toBe('Nothing yet. Start with: sluice upload PATH --batch ID\n');
});
