/** A command that is interrupted while it waits for a job says that, and not that something failed. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyImages } from '../helpers/media.ts';
import { startProcess } from './childCli.ts';
import { createBench } from './cliRun.ts';

const CONTINUES = 'the same command continues where it stopped';

test.each([
  ['run', CONTINUES],
  ['run whose job does not start', CONTINUES],
  ['job follow', 'The job continues at the service'],
])('%s', async (name, said) => {
  const bench = await createBench({ settings: { queueMs: 60_000 } });
  const images = join(bench.directory, 'images');
  await mkdir(images);
  for (const { name: file, content } of tinyImages(2)) await writeFile(join(images, file), content);
  await bench.sluice(['upload', images, '--batch', 'cups']);
  await bench.sluice(['job', 'start', 'night-1', '--batch', 'cups', '--workflow', 'count']);
  bench.service.log.clear();
  const results = join(bench.directory, 'results');
  const run = ['run', images, '--batch', 'line', '--workflow', 'count', '--to', results];
  const stop = new AbortController();
  const given = name === 'job follow' ? ['job', 'follow', 'night-1'] : run;
  if (name.includes('start'))
    bench.service.faults.always('POST', /\/jobs\/[^/]+$/, { kind: 'html', status: 502 });
  const command = bench.sluice(given, { signal: stop.signal });
  const asked = () => bench.service.log.count('GET', /\/jobs\/[^/]+$/);
  await expect.poll(asked, { timeout: 15_000, interval: 20 }).toBeGreaterThan(1);
  stop.abort();
  const { exitCode, stderr } = await command;
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`Interrupted.`);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain('connection');
  expect((await bench.sluice(['status'])).stdout).not.toContain('connection');
});

test
  .runIf(process.platform !== 'win32')
  .each([
    [['batch', 'receipt', '--merge']],
    [['batch', 'list', '--api-key-file']],
    [['job', 'start', 'auto', '--batch', 'cups', '--definition']],
  ])('%j twice while a read hangs, as on a share', async (words) => {
  const { directory } = await createBench();
  const pipe = join(directory, 'part.csv');
  execFileSync('mkfifo', [pipe]);
  const environment = { HOME: directory, SLUICE_API_URL: 'http://127.0.0.1:1' };
  const child = startProcess([...words, pipe], environment);
  const writers: FileHandle[] = [];
  const isRead = async (): Promise<boolean> => {
    const writer = open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writers.push(...(await writer.then((handle) => [handle]).catch(() => [])));
    return writers.length > 0;
  };
  let interrupts = 0;
  const isOver = (): boolean => {
    interrupts += 1;
    // A third one could reach a process that is already ending and no longer catches it.
    if (interrupts <= 2) child.process.kill('SIGINT');
    return child.process.exitCode !== null || child.process.signalCode !== null;
  };
  try {
    // The command reads, and nothing is ever written.
    await expect.poll(isRead, { timeout: 15_000 }).toBe(true);
    await expect.poll(isOver, { timeout: 15_000, interval: 1_000 }).toBe(true);
  } finally {
    child.process.kill('SIGKILL');
    await writers[0]?.close();
  }
  expect((await child.ended).exitCode).toBe(130);
});
