/** A disk without space for the ledger: a running watch waits and continues, and a process ends when asked to. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SluiceFailure, sluiceError } from '../../main/engine/core/errors.ts';
import { runWatches } from '../../main/engine/watches/watchRun.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { startCli } from './childCli.ts';
import { mountTiny, resizeTiny, unmountTiny } from './tinyDisk.ts';
import { countingListeners, until, watchWorld } from './watchWorld.ts';
import { createWorld, type World } from './world.ts';

test('a ledger that cannot be written ends every part of a watch, its listener too', async () => {
  const world = await createWorld();
  const listeners = countingListeners();
  let full = false;
  const watched = await watchWorld(world, {
    wraps: [listeners.wrap],
    wrapStore: (store) => ({
      ...store,
      soon: (work) =>
        full ? Promise.reject(new SluiceFailure(sluiceError('disk.full'))) : store.soon(work),
    }),
  });
  await watched.until(() => watched.following().scannedOnce());
  full = true;
  const running = runWatches(watched.running, watched.watching, [watched.watch], {
    once: false,
    signal: new AbortController().signal,
    onMoment: () => undefined,
  });
  await world.local.write('a.jpg', tinyJpeg(1));
  await expect(running).rejects.toMatchObject({ error: { code: 'disk.full' } });
  await until(() => listeners.open() === 0);
  await watched.stop();
  const again = await watchWorld(world);
  await again.until(() => again.states()['a.jpg'] === 'confirmed');
  await again.stop();
  await world.local.remember();
  await world.expectExactlyOnce({ allConfirmed: true });
});

describe('the program', () => {
  /** A watch as a program whose disk is full after its start; null if no disk can be mounted. */
  async function onFullDisk(world: World): Promise<{
    child: ReturnType<typeof startCli>;
    makeRoom(): void;
  } | null> {
    const { dataDirectory } = world;
    if (!mountTiny(dataDirectory, 4096)) return null;
    const child = startCli(world, ['watch', world.local.root, '--batch', 'b', '--settle', '1']);
    let stderr = '';
    child.process.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    await until(() => world.requestCount('GET', /./) > 0);
    await until(() => stderr.includes('no files yet'));
    const filler = join(dataDirectory, 'filler');
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
    } catch {
      // Full to the last block.
    }
    for (let number = 0; number < 40; number += 1) {
      await world.local.write(`${number}.jpg`, tinyJpeg(number));
    }
    await until(() => stderr.includes('disk is full'));
    return {
      child,
      makeRoom: () => {
        rmSync(filler);
        resizeTiny(dataDirectory, 16 * 1024);
      },
    };
  }

  test('continues when there is space, and the first SIGTERM ends it', async ({
    onTestFinished,
  }) => {
    const world = await createWorld({}, onTestFinished);
    onTestFinished(() => unmountTiny(world.dataDirectory));
    const scene = await onFullDisk(world);
    if (scene === null) return;
    scene.makeRoom();
    await until(() => world.service.state.objects('b').length === 40);
    scene.child.process.kill('SIGTERM');
    expect((await scene.child.ended).exitCode).toBe(130);
    await world.local.remember();
  });

  test('ends with the first SIGTERM while it waits', async ({ onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    onTestFinished(() => unmountTiny(world.dataDirectory));
    const scene = await onFullDisk(world);
    if (scene === null) return;
    scene.child.process.kill('SIGTERM');
    expect((await scene.child.ended).exitCode).toBe(130);
  });
});
