/** `watch run` follows what other programs change in the ledger meanwhile: rules, pauses, new and removed watches. */
import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runWatches } from '../../main/engine/watches/watchRun.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { type Bench, createBench, type CliEnd } from './cliRun.ts';
import { fastClock } from './ports.ts';
import { watchWorld } from './watchWorld.ts';
import { createWorld } from './world.ts';

/** Starts `sluice watch run`; `end` interrupts it, as the end of the test does. */
function watchRun(bench: Bench): { readonly end: () => Promise<CliEnd> } {
  const stop = new AbortController();
  const run = bench.sluice(['watch', 'run'], { signal: stop.signal });
  const end = (): Promise<CliEnd> => {
    stop.abort();
    return run;
  };
  onTestFinished(async () => {
    await end();
  });
  return { end };
}

/** A watch over three images, run until `status` shows them, while the service is busy for all requests of this method about its batch. */
async function watchHeld(method: 'GET' | 'POST', until: RegExp) {
  const bench = await createBench();
  const camera = join(bench.directory, 'camera');
  await mkdir(camera);
  const names = ['1.jpg', '2.jpg', '3.jpg'];
  for (const [seed, name] of names.entries()) await writeFile(join(camera, name), tinyJpeg(seed));
  await bench.sluice(['watch', 'add', camera, '--batch', 'cups', '--settle', '1']);
  const busy = { kind: 'status', status: 503, body: { error: 'busy' } } as const;
  bench.service.faults.always(method, /batches\/cups/, busy);
  const run = watchRun(bench);
  const status = async () => (await bench.sluice(['status'])).stdout;
  await expect.poll(status, { timeout: 15_000, interval: 100 }).toMatch(until);
  return { bench, run };
}

test('a rule that is edited and a watch that is added count at once; a paused one finds nothing', async () => {
  const bench = await createBench();
  const [one, two] = [join(bench.directory, 'one'), join(bench.directory, 'two')];
  await mkdir(one);
  await mkdir(two);
  let seed = 0;
  const write = (path: string) => writeFile(path, tinyJpeg((seed += 1)));
  const settled = ['--settle', '1'];
  await bench.sluice(['watch', 'add', one, '--batch', 'cups', ...settled]);
  const run = watchRun(bench);
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
  expect((await run.end()).exitCode).toBe(130);
});

test.each([['edit'], ['remove', '--forget'], ['pause']])(
  'watch %s does not take the id of a watch that no list shows',
  async (word, ...options) => {
    const bench = await createBench();
    const directory = join(bench.directory, 'images');
    await mkdir(directory);
    const once = ['--once', '--settle', '1'];
    await bench.sluice(['watch', directory, '--batch', 'cups', ...once]);
    const { exitCode, stderr } = await bench.sluice(['watch', word, '1', ...options]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('watch list has no watch 1')]);
  },
);

test('the moves of a watch that no list shows are undone by its directory', async () => {
  const bench = await createBench();
  const camera = join(bench.directory, 'camera');
  await mkdir(camera);
  await writeFile(join(camera, '1.jpg'), tinyJpeg(1));
  expect(await bench.sluice(['watch', 'undo-moves', camera])).toMatchObject({ exitCode: 2 });
  expect(existsSync(bench.dataDirectory)).toBe(false);
  const moving = ['--seal-items', '1', '--move-to', join(bench.directory, 'done')];
  await bench.sluice(['watch', camera, '--batch', 'cups', '--once', '--settle', '1', ...moving]);
  expect(existsSync(join(camera, '1.jpg'))).toBe(false);
  const other = await bench.sluice(['watch', 'undo-moves', bench.directory], { json: true });
  expect([other.exitCode, other.stdout]).toEqual([
    2,
    expect.stringContaining(`there is no watch ${bench.directory})`),
  ]);
  // Something is where the file was.
  await mkdir(join(camera, '1.jpg'));
  const undo = ['watch', 'undo-moves', camera];
  const refused = await bench.sluice(undo, { json: true });
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain('Another file is at its old place.');
  expect(refused.stdout).toContain('"code":"item.changed"');
  await rmdir(join(camera, '1.jpg'));
  await bench.result(undo);
  expect(existsSync(join(camera, '1.jpg'))).toBe(true);
});

test('the moves of a watch that was removed are undone, too', async () => {
  const bench = await createBench();
  const camera = join(bench.directory, 'camera');
  await mkdir(camera);
  await writeFile(join(camera, '1.jpg'), tinyJpeg(1));
  const moving = ['--seal-items', '1', '--move-to', join(bench.directory, 'done')];
  await bench.result(['watch', 'add', camera, '--batch', 'cups', '--settle', '1', ...moving]);
  await bench.sluice(['watch', 'run', '--once']);
  expect(existsSync(join(camera, '1.jpg'))).toBe(false);
  await bench.result(['watch', 'remove', '1', '--keep']);
  await bench.result(['watch', 'undo-moves', '1']);
  expect(existsSync(join(camera, '1.jpg'))).toBe(true);
});

test('a watch is previewed, edited, paused, resumed and removed without a key and without the service', async () => {
  const bench = await createBench();
  const directory = join(bench.directory, 'images');
  await mkdir(directory);
  const offline = { environment: { SLUICE_API_KEY: '', SLUICE_API_URL: 'http://127.0.0.1:9' } };
  await bench.result(['watch', 'preview', directory], offline);
  expect(existsSync(bench.dataDirectory)).toBe(false);
  await bench.sluice(['watch', 'add', directory, '--batch', 'cups']);
  for (const words of [
    ...[
      ['preview', '1'],
      ['edit', '1', '--settle', '2'],
      ['pause', '1'],
    ],
    ...[
      ['resume', '1'],
      ['undo-moves', '1'],
      ['remove', '1', '--keep'],
    ],
  ]) {
    const { exitCode, stderr } = await bench.sluice(['watch', ...words], offline);
    expect([exitCode, stderr], words.join(' ')).toEqual([0, '']);
  }
});

test('a watch that is removed with --keep still has its queued files sent', async () => {
  // Nothing is planned while the service does not say what the batch holds.
  const { bench, run } = await watchHeld('GET', /^\(cups\) +3 /m);
  const { faults, state } = bench.service;

  await bench.sluice(['watch', 'remove', '1', '--keep']);
  faults.clear();
  const listed = () => state.objects('cups').map(({ name }) => name);
  await expect.poll(listed, { timeout: 15_000, interval: 100 }).toHaveLength(3);
  expect((await run.end()).stderr).toContain('of 3 files');
});

test('what a removed watch left queued is sent by a later run, too, even without any watch', async () => {
  // Planned, but not sent.
  const { bench, run } = await watchHeld('POST', /^cups +0 +3 /m);
  const { faults, state } = bench.service;
  await run.end();
  await bench.sluice(['watch', 'remove', '1', '--keep']);
  faults.clear();

  const once = ['watch', 'run', '--once'];
  const end = await bench.sluice(once, { wraps: [fastClock(60)] });
  expect(end).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 of 3 files') });
  expect(end.stderr).not.toContain('No watch is active');
  expect(state.objects('cups')).toHaveLength(3);
  expect(await bench.sluice(once)).toMatchObject({ exitCode: 2 });
});

test('while no watch is active it waits for one; with --once it says which command to use', async () => {
  const bench = await createBench();
  const camera = join(bench.directory, 'camera');
  await mkdir(camera);
  await writeFile(join(camera, '1.jpg'), tinyJpeg(1));
  const once = async () => {
    const { exitCode, stderr } = await bench.sluice(['watch', 'run', '--once']);
    return [exitCode, stderr];
  };
  expect(await once()).toEqual([2, expect.stringContaining('sluice watch add')]);
  await bench.sluice(['watch', 'add', camera, '--batch', 'cups', '--settle', '1']);
  await bench.sluice(['watch', 'pause', '1']);
  expect(await once()).toEqual([2, expect.stringContaining('sluice watch resume')]);

  const run = watchRun(bench);
  await bench.sluice(['watch', 'resume', '1']);
  const listed = () => bench.service.state.objects('cups');
  await expect.poll(listed, { timeout: 15_000, interval: 100 }).toHaveLength(1);
  await run.end();
});

test('a run that starts before there is a watch, as the service may, waits for one', async () => {
  const bench = await createBench();
  const camera = join(bench.directory, 'camera');
  await mkdir(camera);
  await writeFile(join(camera, '1.jpg'), tinyJpeg(1));
  const run = watchRun(bench);
  const begun = () => existsSync(join(bench.dataDirectory, 'ledger.db'));
  await expect.poll(begun, { timeout: 15_000 }).toBe(true);
  await bench.sluice(['watch', 'add', camera, '--batch', 'cups', '--settle', '1']);
  const listed = () => bench.service.state.objects('cups');
  await expect.poll(listed, { timeout: 15_000, interval: 100 }).toHaveLength(1);
  const { exitCode, stderr } = await run.end();
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('No watch is active')]);
});

test('a run without an active watch says so', async () => {
  const { running, watching } = await watchWorld(await createWorld());
  const stop = new AbortController();
  const said: unknown[] = [];
  const ran = await runWatches(running, watching, [], {
    once: false,
    signal: stop.signal,
    onMoment: ({ notices }) => {
      said.push(notices);
      stop.abort();
    },
  });
  expect(ran.end.kind).toBe('interrupted');
  expect(said).toEqual([[expect.stringContaining('No watch is active')]]);
});

test('of several watches, each whose directory is away is named', async () => {
  const world = await createWorld();
  const { running, watching, watch, stop } = await watchWorld(world);
  await rm(world.local.root, { recursive: true });
  const over = new AbortController();
  await runWatches(running, watching, [watch, watch], {
    once: false,
    signal: over.signal,
    onMoment: ({ notices }) => {
      const named = notices.filter((text) => text.startsWith(`${world.local.root}: `));
      if (named.length === 2) over.abort();
    },
  });
  await stop();
});
