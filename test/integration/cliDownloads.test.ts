/** `sluice batch download` and `sluice run` when the service or the disk does not deliver what they need: messages, exit codes, what stays visible. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail } from '../../main/engine/core/errors.ts';
import { tinyImages } from '../helpers/media.ts';
import type { Fault } from '../service/faults.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';
import { filesWith, freeSpace } from './ports.ts';
import { TEST_TIMES } from './world.ts';

const STORAGE = /^\/storage\//;
const PORTAL: Fault = { kind: 'html', status: 403 };
const ENVIRONMENT = { NODE_ENV: 'test', SLUICE_TEST_TIMES: JSON.stringify(TEST_TIMES) };
const HOW = { environment: ENVIRONMENT };

async function benchWithBatch(): Promise<Bench & { readonly args: readonly string[] }> {
  const bench = await createBench({});
  for (const { name, content } of tinyImages(2)) {
    await bench.service.otherComputer.uploadImage('out', name, content);
  }
  const args = ['batch', 'download', 'out', '--to', join(bench.directory, 'to')];
  return { ...bench, args };
}

async function problems(bench: Bench): Promise<{ exitCode: number; text: string }> {
  const { exitCode, stdout } = await bench.sluice(['problems'], { environment: ENVIRONMENT });
  return { exitCode, text: stdout };
}

test('a download that met no answer ends with 5 and stays visible until it is complete', async () => {
  const bench = await benchWithBatch();
  bench.service.faults.always('GET', STORAGE, PORTAL);
  const ended = await bench.sluice(bench.args, HOW);
  expect(ended.exitCode, ended.stderr).toBe(5);
  expect(ended.stderr).toContain('Trying again; what is here is kept.');
  expect(ended.stderr).toContain('the same command continues where it stopped');
  const shown = await problems(bench);
  expect(shown.exitCode).toBe(3);
  expect(shown.text).toContain('Please look at this:\n  The download of out is not complete');
  const status = await bench.sluice(['status'], { environment: ENVIRONMENT });
  expect(status.stdout).toContain('Please look: The download of out is not complete');
  bench.service.faults.clear();
  expect((await bench.sluice(bench.args, HOW)).exitCode).toBe(0);
  expect(await problems(bench)).toEqual({ exitCode: 0, text: 'Nothing needs attention.\n' });
});

test.each(['parts', 'list'])('results whose %s cannot be read stay visible', async (place) => {
  const bench = await createBench();
  const source = join(bench.directory, 'source');
  await mkdir(source);
  for (const { name, content } of tinyImages(2)) await writeFile(join(source, name), content);
  const path = new RegExp(`-export/${place}$`);
  bench.service.faults.always('GET', path, { kind: 'status', status: 403 });
  const to = join(bench.directory, 'to');
  const args = ['run', source, '--batch', 'own', '--workflow', 'count', '--to', to];
  const ended = await bench.sluice(args, HOW);
  expect(ended.exitCode, ended.stderr).toBe(3);
  const shown = await problems(bench);
  expect(shown.exitCode).toBe(3);
  expect(shown.text).toMatch(/The download of \S+-export is not complete: the key is not allowed/);
  bench.service.faults.clear();
  const again = await bench.sluice(args, HOW);
  expect(again.exitCode, again.stderr).toBe(0);
  expect((await problems(bench)).exitCode).toBe(0);
});

test('the files of a batch of uploads are listed and downloaded where the service refuses to list parts of it', async () => {
  const bench = await benchWithBatch();
  const body = { error: 'out is not a multipart batch' };
  bench.service.faults.always('GET', /\/parts$/, { kind: 'status', status: 400, body });
  const listed = await bench.result(['batch', 'files', 'out']);
  expect(listed).toMatchObject({ files: [{}, {}] });
  expect(await bench.result(['batch', 'parts', 'out'])).toMatchObject({ parts: [] });
  const ended = await bench.sluice(bench.args, HOW);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(await readdir(join(bench.directory, 'to', 'files'))).toHaveLength(2);
});

test('a batch that the service does not know is named, with exit code 3, and counts as 0 with a note', async () => {
  const bench = await createBench();
  const to = join(bench.directory, 'to');
  const ended = await bench.sluice(['batch', 'download', 'nosuch', '--to', to], HOW);
  expect(ended.exitCode).toBe(3);
  expect(ended.stderr).toContain('The service does not know this (batch nosuch).');
  expect(ended.stderr).not.toContain('continues where it stopped');
  const ofPart = ['--part', 'p'];
  const part = await bench.sluice(['batch', 'download', 'nosuch', '--to', to, ...ofPart], HOW);
  expect(part.stderr).toContain('(part p of batch nosuch)');
  const partCount = await bench.sluice(['batch', 'count', 'nosuch', ...ofPart]);
  expect(partCount.stderr).toContain('The service does not know part p of batch nosuch.');
  expect((await problems(bench)).exitCode).toBe(0);
  const counted = await bench.sluice(['batch', 'count', 'nosuch']);
  expect(counted).toMatchObject({ exitCode: 0, stdout: '0\n' });
  expect(counted.stderr).toContain('The service does not know batch nosuch.');
});

test('a disk with too little space is reported with figures, and stays visible', async () => {
  const bench = await benchWithBatch();
  const full = { ...HOW, wraps: [freeSpace(3_000_000)] };
  const ended = await bench.sluice(bench.args, { ...full, json: true });
  expect(ended.exitCode).toBe(3);
  const error = eventsOf(ended.stdout).find(({ event }) => event === 'error');
  expect(error?.['message']).toMatch(
    /The disk is full \(3 MB are free; this file needs .* and 5 MB stay free for other programs\)/,
  );
  const shown = await problems(bench);
  expect(shown.exitCode).toBe(3);
  expect(shown.text).toContain('The download of out is not complete: the disk is full (');
  expect(
    (await bench.sluice(bench.args, { ...HOW, wraps: [freeSpace(60_000_000)] })).exitCode,
  ).toBe(0);
  expect(await readdir(join(bench.directory, 'to/files'))).toHaveLength(2);
  expect((await problems(bench)).exitCode).toBe(0);
});

test('a result that cannot be written is named in the events, and the others come', async () => {
  const bench = await benchWithBatch();
  let failed: string | null = null;
  const failing = filesWith((files) => ({
    writeWhole: (path, ...rest) => {
      failed ??= path;
      return path === failed
        ? Promise.resolve(fail('disk.failed', { path }))
        : files.writeWhole(path, ...rest);
    },
  }));
  const ended = await bench.sluice(bench.args, { ...HOW, wraps: [failing], json: true });
  expect(ended.exitCode, ended.stderr).toBe(3);
  const events = eventsOf(ended.stdout).filter(({ event }) => event !== 'progress');
  // Both files are fetched at once: either may come first.
  const path: unknown = expect.stringMatching(/\.(jpg|png)$/);
  expect(events).toMatchObject([
    { event: 'error', code: 'disk.failed', path },
    { event: 'downloaded', files: 1 },
  ]);
  expect(await readdir(join(bench.directory, 'to/files'))).toHaveLength(1);
});

test.each([
  ['images', 'images/results'],
  ['link', 'images/results'],
  ['images', 'link/results'],
])('run %s --to %s is refused: the results would be uploaded', async (source, to) => {
  const bench = await createBench();
  const at = (path: string) => join(bench.directory, path);
  await mkdir(at('images'));
  await symlink(at('images'), at('link'), 'junction');
  const args = ['run', at(source), '--batch', 'own', '--workflow', 'count', '--to', at(to)];
  const { exitCode, stderr } = await bench.sluice(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--to is inside the source')]);
});

test('the results of one file may be put next to it', async () => {
  const bench = await createBench();
  const [image] = tinyImages(1);
  await writeFile(join(bench.directory, 'a.jpg'), image?.content ?? '');
  const to = ['--to', join(bench.directory, 'results')];
  const run = ['run', join(bench.directory, 'a.jpg'), '--batch', 'own', '--workflow', 'count'];
  const { exitCode, stderr } = await bench.sluice([...run, ...to]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('result files')]);
});
