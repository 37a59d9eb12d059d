/** `watch run` follows what other programs change in the ledger meanwhile: rules, pauses, new and removed watches. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';

test('a rule that is edited and a watch that is added count at once; a paused one finds nothing', async () => {
  const bench = await createBench();
  const [one, two] = [join(bench.directory, 'one'), join(bench.directory, 'two')];
  await mkdir(one);
  await mkdir(two);
  let seed = 0;
  const write = (path: string) => writeFile(path, tinyJpeg((seed += 1)));
  const settled = ['--settle', '1'];
  await bench.sluice(['watch', 'add', one, '--batch', 'cups', ...settled]);
  const stop = new AbortController();
  const run = bench.sluice(['watch', 'run'], { signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  const { state } = bench.service;
  const listed = () =>
    [...state.batches.keys()].flatMap((id) => state.objects(id).map(({ name }) => name));
  const arrives = (name: string) =>
    expect.poll(listed, { timeout: 15_000, interval: 100 }).toContain(name);

  await write(join(one, 'first.jpg'));
  await arrives('first.jpg');

  await bench.sluice(['watch', 'edit', '1', '--exclude', 'no-*']);
  await bench.sluice(['watch', 'add', two, '--batch', 'caps', ...settled]);
  await write(join(one, 'no-1.jpg'));
  await write(join(two, 'added.jpg'));
  await write(join(one, 'second.jpg'));
  await arrives('added.jpg');
  await arrives('second.jpg');

  await bench.sluice(['watch', 'pause', '1']);
  await write(join(one, 'paused.jpg'));
  await write(join(two, 'third.jpg'));
  await arrives('third.jpg');
  expect(listed().toSorted()).toEqual(['added.jpg', 'first.jpg', 'second.jpg', 'third.jpg']);

  await bench.sluice(['watch', 'resume', '1']);
  await arrives('paused.jpg');
  stop.abort();
  expect((await run).exitCode).toBe(130);
});
