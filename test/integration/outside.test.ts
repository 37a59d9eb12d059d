/** What goes wrong outside Sluice: the key, the network, the disk, another program, a service that answers nonsense. */
import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../main/engine/core/errors.ts';
import { openEngine } from '../../main/engine/host/engine.ts';
import { systemClock } from '../../main/systemClock.ts';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { startCli } from './childCli.ts';
import { fastClock, freeSpace, stallAfter } from './ports.ts';
import { mountTiny, resizeTiny, unmountTiny } from './tinyDisk.ts';
import { createWorld, type Finished, type World } from './world.ts';

async function worldWith(count: number, finished: Finished): Promise<World> {
  const world = await createWorld({}, finished);
  await world.local.writeImages(count);
  return world;
}

const UPLOAD = /\/upload\/|\/bulk-upload\/|\/storage\/uploads\//;

describe('the key', () => {
  test.concurrent('a refused one ends the command at once, and the right one goes on', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(3, onTestFinished);
    world.service.faults.always('*', /data-staging/, { kind: 'status', status: 401 });
    const { end } = await world.upload();
    expect(end).toMatchObject({ kind: 'blocked', error: { code: 'auth.rejected' } });
    expect(world.ledger().items.filter(({ state }) => state === 'parked')).toEqual([]);
    world.service.faults.clear();
    expect((await world.upload()).tally.confirmed).toBe(3);
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('refused in the middle stops the upload and loses nothing', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(20, onTestFinished);
    world.service.faults.choose((method, path) =>
      method === 'POST' && world.requestCount('POST', /upload\/image/) > 5 && UPLOAD.test(path)
        ? { kind: 'status', status: 401 }
        : null,
    );
    const { end } = await world.upload({ mode: 'single', wraps: [fastClock(20)] });
    expect(end).toMatchObject({ kind: 'blocked', error: { code: 'auth.rejected' } });
    world.service.faults.clear();
    await world.upload({ mode: 'single' });
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('the program says so and ends with 4', async ({ onTestFinished }) => {
    const world = await worldWith(1, onTestFinished);
    world.service.faults.always('*', /./, { kind: 'status', status: 401 });
    const { exitCode, events } = await world.cli(['upload', world.local.root, '--batch', 'b']);
    expect(exitCode).toBe(4);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'error', code: 'auth.rejected' }),
    );
    await world.expectNoSecrets();
  });

  test.concurrent('a quota that is used up ends the command; later it goes on', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(3, onTestFinished);
    world.service.faults.always('POST', /upload\/image/, { kind: 'status', status: 402 });
    // A short refusal must not end it: the command keeps asking for two minutes.
    expect((await world.upload({ wraps: [fastClock(60)] })).end).toMatchObject({
      kind: 'blocked',
      error: { code: 'service.quota' },
    });
    world.service.faults.clear();
    await world.upload();
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('the network', () => {
  test.concurrent('that never answers ends the command after a minute', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(2, onTestFinished);
    await world.service.unplug();
    const { end } = await world.upload({ wraps: [fastClock(60)] });
    expect(end.kind).toBe('unreachable');
    await world.service.plug();
    await world.upload();
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('that breaks midway and comes back is waited for', async ({ onTestFinished }) => {
    const world = await worldWith(40, onTestFinished);
    let unplugged = false;
    const { end } = await world.upload({
      mode: 'single',
      onProgress: () => {
        if (unplugged || world.requestCount('POST', /upload\/image/) < 8) return;
        unplugged = true;
        void world.service.unplug().then(() => world.service.plug());
      },
    });
    expect(unplugged).toBe(true);
    expect(end.kind).toBe('settled');
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('the disk', () => {
  /** The ledger's disk is full from the nth write on. */
  const full =
    (from: number, count: { writes: number }) =>
    (
      store: Parameters<NonNullable<NonNullable<Parameters<World['upload']>[0]>['wrapStore']>>[0],
    ) => ({
      ...store,
      soon: <T>(work: () => T): Promise<T> =>
        store.soon(() => {
          count.writes += 1;
          if (count.writes >= from) throw sqliteFull();
          return work();
        }),
    });

  function sqliteFull(): Error {
    return Object.assign(new Error('database or disk is full'), { errcode: 13 });
  }

  test.concurrent.for([1, 3, 6, 9])(
    'full for the ledger from write %i on: the command fails, nothing is lost',
    async (from, { onTestFinished }) => {
      const world = await worldWith(6, onTestFinished);
      const count = { writes: 0 };
      await expect(
        world.upload({ mode: 'single', wrapStore: full(from, count) }),
      ).rejects.toThrow();
      await world.upload({ mode: 'single' });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );

  test.concurrent('full for results: the command says so, and goes on when there is room', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(3, onTestFinished);
    const to = `${world.directory}/results`;
    const args = ['run', world.local.root, '--batch', 'b', '--workflow', 'w', '--to', to];
    const first = await world.cli(args, [freeSpace(1000)]);
    expect(first.events).toContainEqual(
      expect.objectContaining({ event: 'error', code: 'disk.full' }),
    );
    expect(first.exitCode).toBe(3);
    const second = await world.cli(args);
    expect(second.exitCode).toBe(0);
    expect(world.service.state.jobs.size).toBe(1);
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent.for([8, 64, 100, 160, 256, 400, 4096])(
    'of %i KiB for all that Sluice keeps: it works, or says that the disk is full',
    async (sizeKib, { onTestFinished }) => {
      const world = await worldWith(40, onTestFinished);
      const mounted = mountTiny(world.dataDirectory, sizeKib);
      onTestFinished(() => {
        if (mounted) unmountTiny(world.dataDirectory);
      });
      const args = ['upload', world.local.root, '--batch', 'b'];
      const { exitCode, events } = await world.cli(args);
      const codes = events.filter(({ event }) => event === 'error').map(({ code }) => code);
      expect([exitCode, ...codes]).toEqual(exitCode === 0 ? [0] : [3, 'disk.full']);
      // With less, the ledger cannot even be created.
      if (sizeKib >= 400) expect(events.at(-1)).toMatchObject({ event: 'summary' });
      await world.local.expectUntouched();
      expect(world.service.state.doubles()).toEqual([]);
      if (!mounted) return;
      // Space is freed: the same command continues.
      resizeTiny(world.dataDirectory, 16 * 1024);
      await world.succeeds(args);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );
});

describe('another program', () => {
  test.concurrent('that holds the data directory is named, and the second ends with 6', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(1, onTestFinished);
    const log = { write: () => undefined };
    const engine = openEngine(world.dataDirectory, 'pid 1 (a test)', { clock: systemClock, log });
    if (!engine.ok) throw new Error(engine.error.code);
    const second = await startCli(world, ['upload', world.local.root, '--batch', 'b', '--json'])
      .ended;
    expect(second.exitCode).toBe(6);
    expect(second.stdout).toContain('store.owned');
    // Commands that only read take no lock.
    expect((await startCli(world, ['status', '--json']).ended).exitCode).toBe(0);
    engine.value.close();
    const third = await startCli(world, ['upload', world.local.root, '--batch', 'b', '--json'])
      .ended;
    expect(third.exitCode, third.stderr).toBe(0);
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('usage', () => {
  test.concurrent('an illegal batch id is changed to a legal one, which is reported', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(2, onTestFinished);
    const { exitCode, stderr } = await world.cli([
      'upload',
      world.local.root,
      '--batch',
      'Früh schicht #5!',
    ]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('fruh-schicht-5');
    expect(world.service.state.objects('fruh-schicht-5')).toHaveLength(2);
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent.for([
    'upload --batch b',
    'upload /nowhere/at/all --batch b',
    'upload .',
    'upload . --batch !!!',
    'upload . --batch b --mode fast',
  ])('%s is refused with 2', async (command, { onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    expect((await world.cli(command.split(' '))).exitCode).toBe(2);
    expect(world.service.log.requests).toEqual([]);
  });
});

describe('a service that answers nonsense', () => {
  const NONSENSE = [
    ['HTML', '<html><body>Sign in</body></html>'],
    ['half of an answer', '{"status":"ok","cou'],
    ['another shape', '{"status":"ok","count":"many","filesMetadata":{},"shards":7}'],
    ['nothing', ''],
  ] as const;

  test.concurrent.for(NONSENSE)(
    '%s instead of a list ends nothing forever',
    async ([, text], { onTestFinished }) => {
      const world = await worldWith(3, onTestFinished);
      world.service.faults.next('GET', /\/(count|list|shards)$/, { kind: 'wrongJson', text }, 4);
      await world.upload({ wraps: [stallAfter(500)] });
      world.service.faults.clear();
      await world.cli(['problems', '--retry', 'all']);
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );

  test.concurrent('a service with the 18 operations and nothing else is enough', async ({
    onTestFinished,
  }) => {
    const world = await createWorld({ service: { specOnly: true } }, onTestFinished);
    await world.local.writeImages(40);
    await world.local.write('clip.mp4', await sample('mp4'));
    await world.local.remember();
    const { tally } = await world.upload();
    expect(tally).toMatchObject({ confirmed: 41, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('an image that the service refuses needs a person, the others arrive', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(3, onTestFinished);
    world.service.faults.next('POST', /upload\/image/, {
      kind: 'status',
      status: 400,
      body: { error: 'no' },
    });
    const { tally } = await world.upload();
    expect(tally).toMatchObject({ confirmed: 2, attention: 1 });
    await world.expectExactlyOnce();
    await world.succeeds(['problems', '--retry', 'all']);
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test.concurrent('images that a shard leaves out are parked alone, and only those are sent again', async ({
    onTestFinished,
  }) => {
    const world = await worldWith(6, onTestFinished);
    await world.local.write('odd.jpg', tinyJpeg(500, 4000));
    await world.local.remember();
    world.service.state.settings.maxImageBytes = 2000;
    const { tally } = await world.upload({ mode: 'bulk' });
    expect(tally).toMatchObject({ confirmed: 6, attention: 1 });
    await world.expectExactlyOnce();
    world.service.state.settings.maxImageBytes = 20_000;
    await world.succeeds(['problems', '--retry', 'all']);
    await world.expectExactlyOnce({ allConfirmed: true });
  });

  test('errors that this program makes carry no secret', () => {
    const error = sluiceError('network.lost', {
      said: 'GET http://h/x?api_key=abcdef&X-Goog-Signature=00',
    });
    expect(JSON.stringify(error)).not.toContain('abcdef');
  });
});
