/** Rules do what they say: templates, globs, new files only, closing, several watches at once. */
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import { legalBatchId } from '../../main/engine/files/names/safeNames.ts';
import {
  STANDARD_SETTINGS,
  writeEngineSettings,
} from '../../main/engine/settings/engineSettings.ts';
import { openStore } from '../../main/engine/store/store.ts';
import { enterWatch, type Watch } from '../../main/engine/watches/registry.ts';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { clockAhead, filesWith } from './ports.ts';
import { ruleOf, type WatchedWorld, watchScanned, watchWorld } from './watchWorld.ts';
import { CLOSED_SOON } from './wholeLoop.ts';
import { createWorld, type World } from './world.ts';
import { valueOf } from '../helpers/results.ts';

/** The batches on the service with the names in them. */
function batches(world: World): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...world.service.state.batches.values()].map((batch) => [
      batch.batchId,
      batch.objects.map(({ name }) => name).sort(),
    ]),
  );
}

/** Runs a rule on these files until everything is at rest. */
async function ran(
  rule: Partial<WatchRule>,
  names: readonly string[],
): Promise<{ world: World; watched: WatchedWorld }> {
  const world = await createWorld();
  for (const [index, name] of names.entries()) await world.local.write(name, tinyJpeg(index));
  await world.local.remember();
  const watched = await watchWorld(world, { rule });
  expect((await watched.once()).end).toEqual({ kind: 'settled' });
  return { world, watched };
}

describe('templates', () => {
  test('{watch}, {host} and {date}', async () => {
    const { world } = await ran({ batch: '{watch}-{host}-{date}' }, ['a.jpg']);
    const [id = ''] = Object.keys(batches(world));
    const now = new Date();
    const two = (value: number): string => String(value).padStart(2, '0');
    const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
    expect(id).toBe(legalBatchId(`line-${hostname()}-${date}`));
  });

  test('{folder}: each sub-directory has its batch', async () => {
    const names = ['top.jpg', 'cam 1/a.jpg', 'cam 1/b.jpg', 'Cam 2/Left/a.jpg'];
    const { world, watched } = await ran({ batch: '{folder}' }, names);
    expect(batches(world)).toEqual({
      source: ['top.jpg'],
      'cam-1': ['a.jpg', 'b.jpg'],
      'cam-2-left': ['a.jpg'],
    });
    await watched.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test('{n}: N files each, counted on after a restart', async () => {
    const first = ['0.jpg', '1.jpg', '2.jpg', '3.jpg', '4.jpg'];
    const { world, watched } = await ran({ batch: 'lot-{n}', itemsPerBatch: 3 }, first);
    await watched.stop();
    await world.local.write('5.jpg', tinyJpeg(5));
    await world.local.write('6.jpg', tinyJpeg(6));
    await world.local.remember();
    const again = await watchWorld(world);
    await again.until(
      () => Object.values(again.states()).filter((state) => state === 'confirmed').length === 7,
    );
    expect(
      Object.entries(batches(world))
        .map(([id, { length }]) => `${id}: ${length}`)
        .sort(),
    ).toEqual(['lot-1: 3', 'lot-2: 3', 'lot-3: 1']);
    await again.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('what is taken', () => {
  test('globs say what goes in', async () => {
    const rule = { include: ['cam-*/**'], exclude: ['*-thumb.jpg', 'cam-9'] };
    const names = ['a.jpg', 'cam-1/a.jpg', 'cam-1/a-thumb.jpg', 'cam-9/a.jpg', 'cam-2/x/b.jpg'];
    const { watched } = await ran(rule, names);
    expect(Object.keys(watched.states()).sort()).toEqual(['cam-1/a.jpg', 'cam-2/x/b.jpg']);
  });

  test('images only', async () => {
    const world = await createWorld();
    const clip = await sample('mp4');
    await world.local.write('clip.mp4', clip);
    await world.local.write('a.jpg', tinyJpeg(1));
    const watched = await watchWorld(world, { rule: { kinds: 'images' } });
    expect((await watched.once()).end).toEqual({ kind: 'settled' });
    expect(watched.states()).toEqual({ 'a.jpg': 'confirmed' });
  });

  test('new files only: what stood there when the watch was added stays where it is', async () => {
    const world = await createWorld();
    await world.local.write('old.jpg', tinyJpeg(1));
    const watched = await watchScanned(world, { rule: { existing: false } });
    await world.local.write('new.jpg', tinyJpeg(2));
    await watched.until(() => watched.states()['new.jpg'] === 'confirmed');
    await watched.stop();
    // After a restart, old files still count as old.
    const again = await watchWorld(world);
    expect((await again.once()).end).toEqual({ kind: 'settled' });
    expect(again.states()).toEqual({ 'new.jpg': 'confirmed' });
  });
});

test('new files only, from a clock that was ahead when the watch was added: what comes now is taken', async () => {
  const world = await createWorld();
  await world.local.write('old.jpg', tinyJpeg(1));
  const first = await watchWorld(world, {
    rule: { existing: false },
    wraps: [clockAhead(8 * 86_400_000)],
  });
  await first.stop();
  const watched = await watchScanned(world);
  await world.local.write('new.jpg', tinyJpeg(2));
  await watched.until(() => watched.states()['new.jpg'] === 'confirmed');
  expect(watched.states()).toEqual({ 'new.jpg': 'confirmed' });
});

describe('closing', () => {
  test('at N files: the rest opens the next batch', async () => {
    const seal = { quietMinutes: null, items: 4, at: null };
    const names = Array.from({ length: 10 }, (_, index) => `${index}.jpg`);
    const { world, watched } = await ran({ seal }, names);
    const lengths = Object.fromEntries(
      Object.entries(batches(world)).map(([id, { length }]) => [id, length]),
    );
    expect(lengths).toEqual({ line: 4, 'line-2': 4, 'line-3': 2 });
    const sealed = (): readonly unknown[] =>
      watched.store.all(`SELECT 1 AS one FROM batches WHERE state = 'sealed'`);
    await watched.until(() => sealed().length === 2);
    await watched.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test('when quiet: what comes later goes to the next batch', async () => {
    const { world, watched } = await ran({ seal: CLOSED_SOON }, ['a.jpg']);
    const states = (): readonly string[] =>
      watched.store.all('SELECT state FROM batches ORDER BY id').map((row) => String(row['state']));
    await watched.until(() => states()[0] === 'sealed');
    await world.local.write('late.jpg', tinyJpeg(50));
    await world.local.remember();
    await watched.until(() => states().join() === 'sealed,sealed');
    await watched.until(() => watched.states()['late.jpg'] === 'confirmed');
    expect(batches(world)).toEqual({ line: ['a.jpg'], 'line-2': ['late.jpg'] });
    await watched.stop();
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

test('several watches in parallel, each with its own batch', async () => {
  const world = await createWorld();
  const watched = await watchWorld(world);
  const others: Watch[] = [];
  for (const name of ['two', 'three', 'four']) {
    const directory = join(world.directory, name);
    await mkdir(directory);
    const rule = ruleOf(world, { directory, batch: name, name });
    const { connectionId, ports } = watched.running.pipeline;
    const book = { store: watched.store, ports, dataDirectory: world.dataDirectory };
    const entered = valueOf(await enterWatch(book, connectionId, rule));
    watched.watching.start(entered);
    others.push(entered);
  }
  await watched.until(() => others.every(({ id }) => watched.watching.watch(id)?.scannedOnce()));
  for (const name of ['two', 'three', 'four']) {
    // The same content in each: duplicates count only within a watch.
    await world.local.write(join('..', name, 'x.jpg'), tinyJpeg(1));
  }
  await world.local.write('x.jpg', tinyJpeg(1));
  await watched.until(() => Object.values(batches(world)).flat().length === 4);
  expect(batches(world)).toEqual({
    line: ['x.jpg'],
    two: ['x.jpg'],
    three: ['x.jpg'],
    four: ['x.jpg'],
  });
  const [second] = others;
  if (second === undefined) throw new Error('there are others');
  await watched.watching.end(second.id);
  expect(watched.watching.watch(second.id)).toBeNull();
  await world.local.write(join('..', 'three', 'y.jpg'), tinyJpeg(2));
  await watched.until(() => batches(world)['three']?.length === 2);
});

describe('at the command line', () => {
  test('a directory that is not there, one inside another, and an unknown placeholder', async () => {
    const world = await createWorld();
    const add = (...args: string[]) => world.cli(['watch', 'add', ...args]);
    const nowhere = await add(join(world.directory, 'nowhere'), '--batch', 'x');
    expect(nowhere.exitCode).toBe(2);
    expect(nowhere.events.at(-1)).toMatchObject({ event: 'error', code: 'usage.invalid' });
    expect((await add(world.local.root, '--batch', 'x-{year}')).exitCode).toBe(2);
    expect((await add(world.local.root, '--batch', 'x')).exitCode).toBe(0);
    await mkdir(world.local.path('in'));
    expect((await add(world.local.path('in'), '--batch', 'y')).exitCode).toBe(2);
    expect((await add(world.dataDirectory, '--batch', 'y')).exitCode).toBe(2);
  });

  test('a glob that matches nothing is reported, and the corrected id is shown', async () => {
    const world = await createWorld();
    await world.local.write('a.jpg', tinyJpeg(1));
    const args = ['watch', 'preview', world.local.root, '--batch', 'My Line', '--include', '*.gif'];
    const end = await world.succeeds(args);
    expect(end.events).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({
          files: 0,
          leftOut: 1,
          batches: [{ batchId: 'my-line', files: 0, bytes: 0 }],
          notes: expect.arrayContaining([
            'A batch id has only lower-case letters, digits, hyphens and underscores, 64 at most, so it becomes my-line',
          ]),
        }),
      }),
    ]);
  });

  test('an unreadable sub-directory is reported, and the rest continues', async () => {
    const world = await createWorld();
    await world.local.write('a.jpg', tinyJpeg(1));
    await world.local.write('closed/b.jpg', tinyJpeg(2));
    await world.local.remember();
    const closed = world.local.path('closed');
    const watched = await watchWorld(world, {
      wraps: [
        filesWith((files) => ({
          list: (directory) =>
            directory === closed
              ? Promise.resolve({
                  ok: false,
                  error: { code: 'directory.unreadable', next: 'park', context: {} },
                })
              : files.list(directory),
        })),
      ],
    });
    expect((await watched.once()).end).toEqual({ kind: 'settled' });
    expect(watched.states()).toEqual({
      'a.jpg': 'confirmed',
      closed: 'parked directory.unreadable',
    });
  });

  test('a new watch settles as the settings say, an edited one keeps its own; links can be left out later', async () => {
    const world = await createWorld();
    await mkdir(world.dataDirectory, { recursive: true });
    const opened = openStore(join(world.dataDirectory, 'ledger.db'));
    writeEngineSettings(opened, { ...STANDARD_SETTINGS, settleMs: 9_000 });
    opened.close();
    const expectRule = async (rule: Partial<WatchRule>): Promise<void> => {
      const { events } = await world.cli(['watch', 'list']);
      expect(events.at(-1)).toMatchObject({ data: { watches: [{ rule }] } });
    };
    await world.cli(['watch', 'add', world.local.root, '--batch', 'x']);
    await expectRule({ settleMs: 9_000, followLinks: true });
    await world.cli(['watch', 'edit', '1', '--settle', '2', '--no-links']);
    await expectRule({ settleMs: 2_000, followLinks: false });
    await world.cli(['watch', 'edit', '1', '--links']);
    await expectRule({ settleMs: 2_000, followLinks: true });
    const both = await world.cli(['watch', 'edit', '1', '--links', '--no-links']);
    expect(both.exitCode).toBe(2);
  });

  test('a watch over the batch of another says whose rule counts', async () => {
    const world = await createWorld();
    const add = async (directory: string, batch: string) => {
      await mkdir(world.local.path(directory));
      const { stderr } = await world.cli([
        'watch',
        'add',
        world.local.path(directory),
        '--batch',
        batch,
      ]);
      return stderr;
    };
    expect(await add('one', 'cam-{date}')).toBe('');
    expect(await add('two', 'cam-{date}')).toMatch(/Watch 1 fills the same batch\./);
    expect(await add('three', '{watch}')).toBe('');
    expect(await add('four', '{watch}')).toBe('');
  });

  test('once: everything there is confirmed, and the same again sends nothing', async () => {
    const world = await createWorld();
    for (let number = 0; number < 5; number += 1) {
      await world.local.write(`${number}.jpg`, tinyJpeg(number));
    }
    await world.local.remember();
    const args = ['watch', world.local.root, '--batch', 'x', '--once', '--settle', '1'];
    const first = await world.succeeds(args);
    expect(first.events.at(-1)).toMatchObject({ event: 'summary', found: 5, confirmed: 5 });
    const sent = world.requestCount('*', /upload/);
    const second = await world.succeeds(args);
    expect(second.events.at(-1)).toMatchObject({ event: 'summary', found: 5, confirmed: 5 });
    expect(world.requestCount('*', /upload/)).toBe(sent);
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});
