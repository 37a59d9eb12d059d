/** Drives that are unmounted while their directory stays: nothing is written to the disk below, and no file counts as gone. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readWaits } from '../../main/engine/status/waits.ts';
import { fail } from '../../main/engine/core/errors.ts';
import { undoMoves } from '../../main/engine/watches/undoMoves.ts';
import { tinyImages, tinyJpeg } from '../helpers/media.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';
import { fastClock, filesWith, requestsThrough, withChunks, type Wrap } from './ports.ts';
import { watchScanned, watchWorld } from './watchWorld.ts';
import { CLOSED_SOON } from './wholeLoop.ts';
import { createWorld, TEST_TIMES } from './world.ts';

interface Drive {
  readonly path: string;
  /** How the engine sees it. */
  readonly wrap: Wrap;
  disconnect(): Promise<void>;
  connect(): Promise<void>;
  /** Another drive takes its place, with two images: of the same names, or with this before them. */
  exchange(prefix: string): Promise<void>;
}

/** The root of a drive, some time before anything is written there: only then is it known when it was made. */
async function makeRoot(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await setTimeout(20);
}

/** A drive that is mounted at a directory, which stays while it is not. */
async function createDrive(path: string): Promise<Drive> {
  await makeRoot(path);
  const elsewhere = `${path}-drive`;
  let isConnected = true;
  return {
    path,
    wrap: filesWith((files) => ({
      mountOf: (at) => {
        const isOnIt = isConnected && `${at}${sep}`.startsWith(`${path}${sep}`);
        return isOnIt ? Promise.resolve({ path: at, mount: path }) : files.mountOf(at);
      },
      disksBelow: (at) => Promise.resolve(isConnected && path.startsWith(at + sep) ? [path] : []),
    })),
    disconnect: async () => {
      isConnected = false;
      await rename(path, elsewhere);
      await mkdir(path);
    },
    connect: async () => {
      await rm(path, { recursive: true });
      await rename(elsewhere, path);
      isConnected = true;
    },
    exchange: async (prefix) => {
      await rename(path, elsewhere);
      await makeRoot(path);
      for (const [index, { name }] of [...tinyImages(2)].entries())
        await writeFile(join(path, prefix + name), tinyJpeg(1_000 + index, 10));
    },
  };
}

/** The clock of these tests is fast: in a shortened time as well, files would look as if the service had lost them. */
const TIMES = { ...TEST_TIMES, lateCommitMs: 30_000, unmeasuredLagMs: 180_000 };
const ENVIRONMENT = { NODE_ENV: 'test', SLUICE_TEST_TIMES: JSON.stringify(TIMES) };

test('confirmed files are not moved to the disk below, nor back to it', async () => {
  const world = await createWorld();
  const target = await createDrive(join(world.directory, 'uploaded'));
  const source = await createDrive(join(world.local.root, 'cam'));
  await world.local.write('cam/1.jpg', tinyJpeg(1));
  const watched = await watchWorld(world, {
    rule: { seal: CLOSED_SOON, moveTo: target.path },
    wraps: [target.wrap, source.wrap, fastClock(20)],
  });
  const isMoving = () =>
    readWaits(watched.store, Date.now(), true).find(({ kind }) => kind === 'moving') ?? null;
  const moved = () =>
    watched.store.count(`SELECT count(*) AS count FROM moved_sources WHERE state = 'moved'`);
  await watched.until(() => moved() === 1);
  await target.disconnect();
  await world.local.write('cam/2.jpg', tinyJpeg(2));
  await watched.until(() => isMoving() !== null);
  expect(isMoving()).toMatchObject({ code: 'disk.missing' });
  expect(await readdir(target.path)).toEqual([]);
  await target.connect();
  await watched.until(() => moved() === 2 && isMoving() === null);
  expect((await readdir(join(target.path, 'cam'))).sort()).toEqual(['1.jpg', '2.jpg']);
  await source.disconnect();
  expect(await undoMoves(watched.running.pipeline, watched.watch)).toMatchObject({ undone: 0 });
  expect(await readdir(source.path)).toEqual([]);
  await source.connect();
  // Nor to another drive.
  await source.exchange('other-');
  expect(await undoMoves(watched.running.pipeline, watched.watch)).toMatchObject({ undone: 0 });
  await source.connect();
  expect(await undoMoves(watched.running.pipeline, watched.watch)).toMatchObject({ undone: 2 });
});

async function benchWithResults(): Promise<{ bench: Bench; drive: Drive }> {
  const bench = await createBench();
  for (const { name, content } of tinyImages(2)) {
    await bench.service.otherComputer.uploadImage('out', name, content);
    await bench.service.otherComputer.uploadImage('more', name, content);
  }
  return { bench, drive: await createDrive(join(bench.directory, 'drive')) };
}

function download(bench: Bench, drive: Drive, batch: string, wraps: readonly Wrap[] = []) {
  const args = ['batch', 'download', batch, '--to', join(drive.path, batch)];
  return bench.sluice(args, {
    environment: ENVIRONMENT,
    wraps: [drive.wrap, ...wraps],
    json: true,
  });
}

test('results are not written to the disk below', async () => {
  const { bench, drive } = await benchWithResults();
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  await drive.disconnect();
  const ended = await download(bench, drive, 'more');
  expect(ended.exitCode).toBe(3);
  expect(eventsOf(ended.stdout)).toContainEqual(
    expect.objectContaining({ event: 'error', code: 'disk.missing' }),
  );
  expect(await readdir(drive.path)).toEqual([]);
  await drive.connect();
  expect((await download(bench, drive, 'more')).exitCode).toBe(0);
});

test('results are written where a drive was once its files are on the disk below', async () => {
  const { bench, drive } = await benchWithResults();
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  await drive.disconnect();
  await mkdir(join(drive.path, 'out'));
  expect((await download(bench, drive, 'more')).exitCode).toBe(0);
});

test('results are not written to the disk below when the drive goes away during the download', async () => {
  const { bench, drive } = await benchWithResults();
  let isGoing = true;
  const going = requestsThrough(async (http, request) => {
    if (isGoing && new URL(request.url).pathname.startsWith('/storage/')) {
      isGoing = false;
      await drive.disconnect();
    }
    return http.request(request);
  });
  expect((await download(bench, drive, 'out', [going])).exitCode).toBe(3);
  expect(await readdir(drive.path, { recursive: true })).toEqual([]);
  // What might have been written at that moment does not make the directory a place for results.
  await mkdir(join(drive.path, 'out'));
  expect((await download(bench, drive, 'out')).exitCode).toBe(3);
  expect(await readdir(join(drive.path, 'out'))).toEqual([]);
  await drive.connect();
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
});

test('no directory is made on the disk below when the drive goes away just before a file is written', async () => {
  const { bench, drive } = await benchWithResults();
  let gone: Promise<void> | null = null;
  const going = filesWith((files) => ({
    writeWhole: async (...file) => {
      await (gone ??= drive.disconnect());
      return files.writeWhole(...file);
    },
  }));
  const ended = await download(bench, drive, 'out', [going]);
  expect(eventsOf(ended.stdout)).toContainEqual(expect.objectContaining({ code: 'disk.missing' }));
  expect(await readdir(drive.path)).toEqual([]);
});

test('a write that fails because the drive went away is no failure of the disk', async () => {
  const { bench, drive } = await benchWithResults();
  let gone: Promise<void> | null = null;
  const going = filesWith(() => ({
    writeWhole: async (path) => {
      await (gone ??= drive.disconnect());
      return fail('disk.failed', { path, errno: 'EIO' });
    },
  }));
  const { stdout } = await download(bench, drive, 'out', [going]);
  expect(eventsOf(stdout).at(-1)).toMatchObject({ event: 'error', code: 'disk.missing' });
});

test('a file that is there already is not fetched under a second name when the drive goes away at that moment', async () => {
  const { bench, drive } = await benchWithResults();
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  // As after a kill between the last step of a file and its note in the ledger.
  const ledger = new DatabaseSync(join(bench.dataDirectory, 'ledger.db'));
  ledger.exec(`UPDATE outputs SET state = 'listed', sha256 = NULL, stamp = NULL`);
  ledger.close();
  let gone: Promise<void> | null = null;
  // One by one: a write that the drive cuts short would leave its part there.
  const going = filesWith((files) => ({
    writeWhole: async (...file) => {
      const write = () => files.writeWhole(...file);
      const written = gone === null ? write() : gone.then(write);
      await (gone ??= written.then(() => drive.disconnect()));
      return written;
    },
  }));
  expect((await download(bench, drive, 'out', [going])).exitCode).toBe(3);
  await drive.connect();
  const before = await readdir(join(drive.path, 'out', 'files'));
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  expect(await readdir(join(drive.path, 'out', 'files'))).toEqual(before);
});

test('a file that is there already is not fetched under a second name when its drive does not answer', async () => {
  const { bench, drive } = await benchWithResults();
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  const before = await readdir(join(drive.path, 'out', 'files'));
  const facts = (path: string) => Promise.resolve(fail('disk.missing', { path }));
  const silent = filesWith(() => ({ facts, typeOf: () => Promise.resolve('other') }));
  const { stdout } = await download(bench, drive, 'out', [silent]);
  expect(eventsOf(stdout).at(-1)).toMatchObject({ event: 'error', code: 'disk.missing' });
  expect((await download(bench, drive, 'out')).exitCode).toBe(0);
  expect(await readdir(join(drive.path, 'out', 'files'))).toEqual(before);
});

async function benchWithFiles(options?: ServiceOptions): Promise<{ bench: Bench; drive: Drive }> {
  const bench = await createBench(options);
  const drive = await createDrive(join(bench.directory, 'card'));
  for (const { name, content } of tinyImages(3)) await writeFile(join(drive.path, name), content);
  return { bench, drive };
}

function upload(bench: Bench, drive: Drive, wraps: readonly Wrap[] = [], path = drive.path) {
  const args = ['upload', path, '--batch', 'b', '--mode', 'single'];
  return bench.sluice(args, {
    environment: ENVIRONMENT,
    wraps: [drive.wrap, ...wraps],
    json: true,
  });
}

test('an upload from a drive that is not connected is not done', async () => {
  const { bench, drive } = await benchWithFiles();
  expect((await upload(bench, drive)).exitCode).toBe(0);
  await drive.disconnect();
  const ended = await upload(bench, drive);
  expect(ended.exitCode).toBe(3);
  expect(ended.stdout).toContain('directory.unreadable');
  const below = await upload(bench, drive, [], join(drive.path, 'pictures'));
  expect(below.exitCode).toBe(3);
  expect(below.stdout).toContain('disk.missing');
  await drive.connect();
  expect((await upload(bench, drive, [], join(drive.path, 'pictures'))).exitCode).toBe(2);
  expect((await upload(bench, drive)).exitCode).toBe(0);
  expect(bench.service.state.objects('b')).toHaveLength(3);
});

test('an upload whose drive goes away says so, ends and leaves no file to a person', async () => {
  const { bench, drive } = await benchWithFiles();
  let gone: Promise<void> | null = null;
  const going = filesWith((files) => ({
    openSources: (plan, options, signal) => {
      const source = files.openSources(plan, options, signal);
      return withChunks(source, async function* () {
        await (gone ??= drive.disconnect());
        yield* source.chunks();
      });
    },
  }));
  const ended = await upload(bench, drive, [going, fastClock(100)]);
  expect(ended.exitCode).toBe(3);
  const [failed, summary] = eventsOf(ended.stdout).slice(-2);
  expect(failed).toMatchObject({ event: 'error', code: 'disk.missing' });
  expect(summary).toMatchObject({ confirmed: 0, attention: 0, skipped: 0, open: 3 });
  const file = join(drive.path, 'image-000001.jpg');
  const explained = await bench.sluice(['why', file], { wraps: [drive.wrap] });
  expect(explained.stdout).toContain(
    'The drive of this directory is not connected, or does not answer.',
  );
  expect(explained.stdout).not.toContain('gone');
  await drive.connect();
  expect((await upload(bench, drive)).exitCode).toBe(0);
  expect(bench.service.state.objects('b')).toHaveLength(3);
});

test('an upload whose drive goes away once everything was sent waits until it is confirmed', async () => {
  const { bench, drive } = await benchWithFiles({ settings: { listingDelayMs: 300 } });
  let sent = 0;
  const going = requestsThrough(async (http, request) => {
    const answer = await http.request(request);
    if (request.method === 'POST' && ++sent === 3) await drive.disconnect();
    return answer;
  });
  const wraps = [drive.wrap, going, fastClock(50)];
  const args = ['upload', drive.path, '--batch', 'b', '--mode', 'single'];
  const { exitCode } = await bench.sluice(args, { wraps });
  expect(exitCode).toBe(0);
});

test('a drive that hangs is not looked at again and again', async () => {
  const { bench, drive } = await benchWithFiles();
  let isSending = false;
  let looks = 0;
  const slow = requestsThrough(async (http, request, clock) => {
    if (request.method === 'POST') {
      isSending = true;
      await clock.sleep(30_000, request.signal);
    }
    return http.request(request);
  });
  const hanging = filesWith((files) => ({
    mountOf: (path) => {
      if (!isSending) return files.mountOf(path);
      looks += 1;
      return new Promise(() => undefined);
    },
  }));
  const wraps = [drive.wrap, hanging, fastClock(50), slow];
  const { exitCode } = await bench.sluice(['upload', drive.path, '--batch', 'b'], { wraps });
  expect(exitCode).toBe(0);
  expect(looks).toBe(1);
});

test('a preview of a drive that is not connected says so', async () => {
  const { bench, drive } = await benchWithFiles();
  expect((await upload(bench, drive)).exitCode).toBe(0);
  await drive.disconnect();
  const preview = ['watch', 'preview', drive.path, '--batch', 'other-{date}'];
  const { stdout } = await bench.sluice(preview, { wraps: [drive.wrap] });
  expect(stdout).toContain('The drive of this directory is not connected');
  expect(stdout).not.toContain('Nothing there matches');
});

test('a watched drive that is not connected is missing, and nothing of it is gone', async () => {
  const world = await createWorld();
  const drive = await createDrive(world.local.root);
  await world.local.writeImages(3);
  const watched = await watchScanned(world, { wraps: [drive.wrap] });
  await drive.disconnect();
  await watched.until(() => watched.following().condition() === 'missing');
  await drive.connect();
  await watched.until(() => watched.following().condition() !== 'missing');
  expect(await watched.once()).toMatchObject({ end: { kind: 'settled' }, tally: { confirmed: 3 } });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('an upload does not end because of one drive while files of another are read', async () => {
  const { bench, drive } = await benchWithFiles();
  expect((await upload(bench, drive)).exitCode).toBe(0);
  await drive.disconnect();
  const other = join(bench.directory, 'other');
  await mkdir(other);
  await writeFile(join(other, 'a.jpg'), tinyJpeg(9));
  const slow: Wrap = (ports) =>
    filesWith((files) => ({
      inspect: async (paths, kind) => {
        await ports.clock.sleep(20_000);
        return files.inspect(paths, kind);
      },
    }))(ports);
  const wraps = [drive.wrap, fastClock(50), slow];
  const args = ['upload', drive.path, other, '--batch', 'b'];
  const ended = await bench.sluice(args, { wraps, json: true });
  expect(eventsOf(ended.stdout).at(-1)).toMatchObject({ event: 'summary', confirmed: 1 });
});

test('an upload does not end because of one drive while the service makes files of another wait', async () => {
  const { bench, drive } = await benchWithFiles();
  const other = join(bench.directory, 'other');
  await mkdir(other);
  await writeFile(join(other, 'a.jpg'), tinyJpeg(9));
  let gone: Promise<void> | null = null;
  let busyUntil: number | null = null;
  const busy = requestsThrough(async (http, request, clock) => {
    if (request.method !== 'POST') return http.request(request);
    await (gone ??= drive.disconnect());
    busyUntil ??= clock.monotonicMs() + 30_000;
    if (!request.url.includes('a.jpg') || clock.monotonicMs() > busyUntil)
      return http.request(request);
    const answer = await http.request({ ...request, method: 'GET', body: null });
    return { ...answer, status: 429 };
  });
  const wraps = [drive.wrap, fastClock(50), busy];
  const args = ['upload', other, drive.path, '--batch', 'b', '--mode', 'single'];
  const ended = await bench.sluice(args, { wraps, json: true });
  expect(ended.exitCode).toBe(3);
  expect(eventsOf(ended.stdout).at(-1)).toMatchObject({ event: 'summary', confirmed: 1, open: 3 });
});

/** Drives are told apart by what is mounted, not by the names on them: cameras give the same names again and again. */
const NAMES = ['', 'other-'];

test.each(NAMES)(
  'files of a drive in whose place another is are missing, not deleted or changed (%s)',
  async (prefix) => {
    const { bench, drive } = await benchWithFiles();
    let gone: Promise<void> | null = null;
    const going = filesWith((files) => ({
      openSources: (plan, options, signal) => {
        const source = files.openSources(plan, options, signal);
        return withChunks(source, async function* () {
          await (gone ??= drive.exchange(prefix));
          yield* source.chunks();
        });
      },
    }));
    const ended = await upload(bench, drive, [going, fastClock(100)]);
    expect(ended.exitCode).toBe(3);
    const [failed, summary] = eventsOf(ended.stdout).slice(-2);
    expect(failed).toMatchObject({ event: 'error', code: 'disk.missing' });
    expect(summary).toMatchObject({ confirmed: 0, attention: 0, skipped: 0, open: 3 });
    const file = join(drive.path, 'image-000003.jpg');
    const explained = await bench.sluice(['why', file], { wraps: [drive.wrap] });
    expect(explained.stdout).toContain('The drive of this directory is not connected');
    expect(explained.stdout).not.toContain('gone');
    // The other one is uploaded for itself, and what waits for the first stays.
    const other = await upload(bench, drive);
    expect(other.exitCode).toBe(0);
    expect(eventsOf(other.stdout).at(-1)).toMatchObject({ found: 2, confirmed: 2, skipped: 0 });
    expect(other.stdout).toContain('3 files that an earlier command found');
    await drive.connect();
    const first = await upload(bench, drive);
    expect(first.exitCode).toBe(0);
    expect(eventsOf(first.stdout).at(-1)).toMatchObject({ found: 3, confirmed: 3 });
    expect(await bench.result(['status'])).toMatchObject({ batches: [{ queued: 0 }] });
    expect(bench.service.state.objects('b')).toHaveLength(5);
  },
);

test.each(NAMES)(
  'an upload whose drive is exchanged while its files are read does not end as done (%s)',
  async (prefix) => {
    const { bench, drive } = await benchWithFiles();
    let gone: Promise<void> | null = null;
    const going = filesWith((files) => ({
      inspect: async (paths, kind) => {
        await (gone ??= drive.exchange(prefix));
        return files.inspect(paths, kind);
      },
    }));
    const ended = await upload(bench, drive, [going, fastClock(100)]);
    expect(ended.exitCode).toBe(3);
    const [failed, summary] = eventsOf(ended.stdout).slice(-2);
    expect(failed).toMatchObject({ event: 'error', code: 'disk.missing' });
    expect(summary).toMatchObject({ skipped: 0, attention: 0 });
    await drive.connect();
    const first = await upload(bench, drive);
    expect(first.exitCode).toBe(0);
    expect(eventsOf(first.stdout).at(-1)).toMatchObject({ found: 3, confirmed: 3 });
  },
);

test.each(NAMES)(
  'a watch keeps what it found on a drive in whose place another is (%s)',
  async (prefix) => {
    const world = await createWorld();
    const drive = await createDrive(world.local.root);
    await world.local.writeImages(3);
    const wraps = [drive.wrap, fastClock(100)];
    const watched = await watchWorld(world, { wraps, runnerTimes: TIMES });
    watched.hold(true);
    await watched.until(() => Object.keys(watched.states()).length === 3);
    await drive.exchange(prefix);
    watched.hold(false);
    const { end, tally } = await watched.once();
    expect(end).toMatchObject({ kind: 'blocked', error: { code: 'disk.missing' } });
    expect(tally).toMatchObject({ confirmed: 2, open: 3, skipped: 0, attention: 0 });
    await drive.connect();
    // As half a minute later, by the wall clock: then they are looked for again.
    watched.store.run('UPDATE items SET retry_at = 0');
    expect(await watched.once()).toMatchObject({ end: { kind: 'settled' } });
    expect(world.service.state.objects('line')).toHaveLength(5);
  },
);

test.each(['taken away', 'exchanged'] as const)(
  'files of a drive below the directory that is uploaded are missing when it is %s',
  async (how) => {
    const bench = await createBench();
    const parent = join(bench.directory, 'media');
    const drive = await createDrive(join(parent, 'card'));
    await writeFile(join(drive.path, 'a.jpg'), tinyJpeg(1));
    let gone: Promise<void> | null = null;
    const going = filesWith((files) => ({
      openSources: (plan, options, signal) => {
        const source = files.openSources(plan, options, signal);
        return withChunks(source, async function* () {
          await (gone ??= how === 'exchanged' ? drive.exchange('') : drive.disconnect());
          yield* source.chunks();
        });
      },
    }));
    const ended = await upload(bench, drive, [going, fastClock(100)], parent);
    expect(ended.exitCode).toBe(3);
    const [failed, summary] = eventsOf(ended.stdout).slice(-2);
    expect(failed).toMatchObject({ event: 'error', code: 'disk.missing' });
    expect(summary).toMatchObject({ confirmed: 0, attention: 0, skipped: 0, open: 1 });
  },
);
