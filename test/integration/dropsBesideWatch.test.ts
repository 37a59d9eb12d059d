/** Files dropped while a watch runs, even into the batch that it fills: both continue, and nothing is sent into the same batch twice. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sluiceError } from '../../main/engine/core/errors.ts';
import { startPendingUploads } from '../../main/engine/uploads/pendingUploads.ts';
import { text } from '../../main/engine/store/rows.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { filesWith, type Wrap } from './ports.ts';
import { type WatchedWorld, watchWorld } from './watchWorld.ts';
import { createWorld } from './world.ts';

/** Drops on the pipeline of a watch; the test fails when one of them throws. */
function dropsOn(watched: WatchedWorld): ReturnType<typeof startPendingUploads> {
  const thrown: unknown[] = [];
  onTestFinished(() => expect(thrown).toEqual([]));
  return startPendingUploads(watched.running, (error) => thrown.push(error));
}

test('a watch continues after a drop into its batch has ended', async () => {
  const world = await createWorld();
  const watched = await watchWorld(world, { rule: { batch: 'cups' } });
  const elsewhere = join(world.directory, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'dropped.jpg'), tinyJpeg(1));
  const pending = dropsOn(watched);
  pending.add('cups', [{ path: elsewhere, root: elsewhere }], 'single');
  await watched.until(() => watched.states()['dropped.jpg'] === 'confirmed');
  await watched.until(() => pending.walking() === 0);
  pending.ensureTargets();
  await world.local.write('found.jpg', tinyJpeg(2));
  await watched.until(() => watched.states()['found.jpg'] === 'confirmed');
  expect(world.service.state.objects('cups')).toHaveLength(2);
});

test('a batch named by a template takes no file twice, another batch takes it again', async () => {
  const world = await createWorld();
  const watched = await watchWorld(world, { rule: { batch: 'cups-{date}' } });
  await world.local.write('found.jpg', tinyJpeg(1));
  await watched.until(() => watched.states()['found.jpg'] === 'confirmed');
  const { store } = watched;
  const batchId = text(store.get('SELECT batch_id FROM batches') ?? {}, 'batch_id');
  const pending = dropsOn(watched);
  const place = { path: world.local.path('found.jpg'), root: world.local.root };
  const rests = (): readonly string[] =>
    store
      .all('SELECT state, reason FROM items ORDER BY id')
      .map(({ state, reason }) => [state, reason].filter(Boolean).join(' '));
  const upload = async (into: string, expected: readonly string[]): Promise<void> => {
    pending.add(into, [place], 'auto');
    await watched.until(() => pending.walking() === 0 && rests().join() === expected.join());
    pending.ensureTargets();
  };
  await upload(batchId, ['confirmed', 'skipped item.duplicate']);
  await upload('once-more', ['confirmed', 'skipped item.duplicate', 'confirmed']);
  expect(world.service.state.objects(batchId)).toHaveLength(1);
  expect(world.service.state.objects('once-more')).toHaveLength(1);
});

/** The file with this name is locked at the first check. */
function lockedOnce(name: string): Wrap {
  let isLocked = true;
  return filesWith((files) => ({
    inspect: async (paths, kind) => {
      const results = await files.inspect(paths, kind);
      return results.map((result, index) => {
        if (!isLocked || paths[index]?.endsWith(name) !== true) return result;
        isLocked = false;
        return { ok: false, error: sluiceError('file.busy', {}) };
      });
    },
  }));
}

test.each([
  { batch: 'cups', words: 'the batch of its name', wraps: [] },
  { batch: 'cups-{date}', words: 'the batch of today', wraps: [] },
  {
    batch: 'cups-{date}',
    words: 'the batch of today, of a file that is locked at first,',
    wraps: [lockedOnce('same.jpg')],
  },
])('what was dropped into $words is not sent again by a watch', async ({ batch, wraps }) => {
  const world = await createWorld();
  const watched = await watchWorld(world, {
    rule: { batch, name: 'camera', exclude: ['out/**'] },
    wraps,
  });
  const { store } = watched;
  await world.local.write('first.jpg', tinyJpeg(1));
  await watched.until(() => watched.states()['first.jpg'] === 'confirmed');
  const batchId = text(store.get('SELECT batch_id FROM batches') ?? {}, 'batch_id');
  const pending = dropsOn(watched);
  await world.local.write('out/dropped.jpg', tinyJpeg(2));
  const path = world.local.path('out/dropped.jpg');
  pending.add(batchId, [{ path, root: world.local.path('out') }], 'auto');
  pending.ensureTargets();
  await watched.until(() => world.service.state.objects(batchId).length === 2);
  await world.local.write('same.jpg', tinyJpeg(2));
  await watched.until(() => /^(skipped|confirmed)/.test(watched.states()['same.jpg'] ?? ''));
  expect(watched.states()['same.jpg']).toBe('skipped item.duplicate');
  expect(world.service.state.objects(batchId)).toHaveLength(2);
});
