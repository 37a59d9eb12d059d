/** Output that cannot be written, to a full disk or a reader that is gone: the command does its work and does not hide the loss. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { type Child, startProcess } from './childCli.ts';
import { type Bench, createBench } from './cliRun.ts';

function start(
  bench: Bench,
  given: readonly string[],
  files: Parameters<typeof startProcess>[2] = {},
): Child {
  const environment = {
    HOME: bench.directory,
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_DATA_DIR: bench.dataDirectory,
  };
  return startProcess(given, environment, files);
}

async function source(bench: Bench): Promise<string> {
  const directory = join(bench.directory, 'images');
  await mkdir(directory);
  for (const seed of [1, 2, 3]) {
    await writeFile(join(directory, `${seed}.jpg`), tinyJpeg(seed));
  }
  return directory;
}

function stored(bench: Bench): number | undefined {
  return bench.service.state.batches.get('b')?.objects.length;
}

test('a reader that is gone ends no upload and changes no exit code', async () => {
  const bench = await createBench();
  const upload = ['upload', await source(bench), '--batch', 'b', '--json'];
  const child = start(bench, upload);
  child.process.stdout?.destroy();
  expect(await child.ended).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(stored(bench)).toBe(3);
});

describe.runIf(process.platform === 'linux')('on a full disk', () => {
  async function onFull(
    bench: Bench,
    given: readonly string[],
    stream: 'stdout' | 'stderr' = 'stdout',
  ): Promise<Awaited<Child['ended']>> {
    const full = await open('/dev/full', 'w');
    try {
      return await start(bench, given, { [stream]: full.fd }).ended;
    } finally {
      await full.close();
    }
  }

  test('an upload is completed, and the loss of its output is said once and is 3', async () => {
    const bench = await createBench();
    const upload = ['upload', await source(bench), '--batch', 'b', '--json'];
    const end = await onFull(bench, upload);
    expect(end.exitCode).toBe(3);
    expect(end.stderr.match(/could not be written/g)).toHaveLength(1);
    expect(end.stderr).toContain('ENOSPC');
    expect(stored(bench)).toBe(3);
    expect((await onFull(bench, ['batch', 'receipt', 'b', '--csv'])).exitCode).toBe(3);
  });

  test.each([
    [['status']],
    [['status', '--json']],
    [['metrics']],
    [['settings']],
    [['--help']],
    [['batch', 'list', '--json']],
  ])('%j ends with 3', async (given) => {
    const bench = await createBench();
    const end = await onFull(bench, given);
    expect(end).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('could not be written'),
    });
  });

  test('another failure keeps its exit code', async () => {
    const bench = await createBench();
    expect((await onFull(bench, ['nonsense', '--json'])).exitCode).toBe(2);
    expect((await onFull(bench, ['nonsense'], 'stderr')).exitCode).toBe(2);
  });
});
