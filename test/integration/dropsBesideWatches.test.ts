/** Files dropped into the batch that a watch fills: both go on, whichever ends first. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPendingUploads } from '../../main/engine/uploads/pendingUploads.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { watchWorld } from './watchWorld.ts';
import { createWorld } from './world.ts';

test('a watch goes on after a drop into its batch has ended', async () => {
  const world = await createWorld();
  const watched = await watchWorld(world, { rule: { batch: 'cups' } });
  const elsewhere = join(world.directory, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'dropped.jpg'), tinyJpeg(1));
  let failure: unknown = null;
  const pending = startPendingUploads(watched.running, (thrown) => (failure = thrown));
  pending.add('cups', [{ path: elsewhere, root: elsewhere }], 'single');
  await watched.until(() => watched.states()['dropped.jpg'] === 'confirmed');
  await watched.until(() => pending.walking() === 0);
  pending.ensureTargets();
  await world.local.write('found.jpg', tinyJpeg(2));
  await watched.until(() => watched.states()['found.jpg'] === 'confirmed');
  expect(failure).toBeNull();
  expect(world.service.state.objects('cups')).toHaveLength(2);
});
