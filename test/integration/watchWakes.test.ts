/** A watch's next step does not wait for the slow tick of its lanes, nor for a person to open the window. */
import { test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { watchScanned } from './watchWorld.ts';
import { CLOSED_SOON } from './wholeLoop.ts';
import { createWorld } from './world.ts';

/** Well below the tick of a lane. */
const LIMIT = { timeout: 20_000 };

test('a batch that is slow to open is closed when it was quiet', LIMIT, async () => {
  const world = await createWorld({ service: { latencyMs: 150 } });
  const watched = await watchScanned(world, { rule: { seal: CLOSED_SOON, mode: 'single' } });
  await world.local.write('one.jpg', tinyJpeg(1));
  await watched.until(() => watched.logged.includes('batch.closed'));
  await watched.stop();
});

test('a page instead of the answer to an upload is probed for at once', LIMIT, async () => {
  const world = await createWorld({});
  const outage = await world.service.outage({
    match: { method: 'PUT', path: /storage/ },
    answer: { kind: 'html', status: 200 },
  });
  const watched = await watchScanned(world);
  await world.local.write('one.jpg', tinyJpeg(1));
  await watched.until(() => outage.met() > 0);
  await outage.end();
  await watched.until(() => watched.states()['one.jpg'] === 'confirmed');
  await watched.stop();
});
