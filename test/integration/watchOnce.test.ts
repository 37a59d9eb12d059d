/** `watch --once`: it ends when everything is at rest and not before, even while a job takes its time. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWatches } from '../../main/engine/watches/watchRun.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { fastClock, filesWith, heldReads, type Wrap } from './ports.ts';
import { watchScanned, watchWorld } from './watchWorld.ts';
import { CLOSED_SOON } from './wholeLoop.ts';
import { createWorld } from './world.ts';

const MINUTE = 60_000;

test('a file between its last check and the ledger is waited for', async () => {
  const world = await createWorld();
  const reads = heldReads();
  const watched = await watchScanned(world, { wraps: [reads.wrap] });
  await world.local.write('late.jpg', tinyJpeg(1));
  await watched.until(reads.isReading);
  let looks = 0;
  const once = runWatches(watched.running, watched.watching, [watched.watch], {
    once: true,
    signal: new AbortController().signal,
    onMoment: (moment) => {
      // Regression: it was counted neither as found nor as not at rest, and `--once` ended without it.
      looks += 1;
      if (looks === 3) reads.release();
      expect(moment.tally.found + moment.settling).toBe(1);
    },
  });
  expect(await once).toMatchObject({ end: { kind: 'settled' }, tally: { found: 1, confirmed: 1 } });
  await watched.stop();
  await world.local.remember();
  await world.expectExactlyOnce({ allConfirmed: true });
});

test('what is confirmed in a closed batch is moved before it ends', async () => {
  const world = await createWorld();
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.write('b.jpg', tinyJpeg(2));
  const done = join(world.directory, 'done');
  const rule = ['--batch', 'x', '--seal-items', '2', '--move-to', done, '--settle', '1'];
  const end = await world.succeeds(['watch', world.local.root, ...rule, '--once']);
  expect(end.events.at(-1)).toMatchObject({ event: 'summary', found: 2, confirmed: 2 });
  expect(await readdir(done)).toEqual(['a.jpg', 'b.jpg']);
});

test('that nothing closes the batch whose files are to be moved is said', async () => {
  const world = await createWorld();
  await world.local.write('a.jpg', tinyJpeg(1));
  const rule = ['--batch', 'x', '--move-to', join(world.directory, 'done'), '--settle', '1'];
  const end = await world.succeeds(['watch', world.local.root, ...rule, '--unpack', '--once']);
  expect(end.stderr).toContain(
    'never closed by itself, so its files are not moved. Close it with --seal-quiet',
  );
  expect(end.stderr.match(/Without --to, --unpack does nothing/g)).toHaveLength(1);
});

test('of a batch that it closes itself, to start the workflow, it does not say that nothing closes it', async () => {
  const world = await createWorld();
  await world.local.write('a.jpg', tinyJpeg(1));
  const rule = ['--batch', 'x', '--workflow', 'wf', '--settle', '1'];
  const end = await world.succeeds(['watch', world.local.root, ...rule, '--once']);
  expect(end.events.map(({ event }) => event)).toContain('processed');
  expect(end.stderr).not.toContain('never closed');
});

test('what cannot be moved is said, and ends it with 3', async () => {
  const world = await createWorld();
  await world.local.write('a.jpg', tinyJpeg(1));
  const done = join(world.directory, 'done');
  await writeFile(done, 'in the way');
  const rule = ['--batch', 'x', '--seal-items', '1', '--move-to', done, '--settle', '1'];
  const command = ['watch', world.local.root, ...rule, '--once'];
  const refused = await world.cli(command);
  expect(refused.exitCode).toBe(3);
  const notice = { event: 'notice', text: expect.stringContaining(`cannot be moved to ${done} `) };
  expect(refused.events).toContainEqual(expect.objectContaining(notice));
  await rm(done);
  const moved = await world.succeeds(command);
  expect(moved.events.map(({ event }) => event)).not.toContain('notice');
  expect(await readdir(done)).toEqual(['a.jpg']);
});

test('Ctrl-C ends it while files are moved', async () => {
  const world = await createWorld();
  await world.local.write('a.jpg', tinyJpeg(1));
  const stop = new AbortController();
  const held = Promise.withResolvers<void>();
  const stuck = filesWith((files) => ({
    moveFile: async (...move) => {
      stop.abort();
      await held.promise;
      return files.moveFile(...move);
    },
  }));
  const watched = await watchWorld(world, {
    rule: { seal: { ...CLOSED_SOON, items: 1 }, moveTo: join(world.directory, 'done') },
    wraps: [stuck],
    // Only the end of the command moves.
    times: { loopIdleMs: MINUTE, closeMs: MINUTE },
  });
  expect(await watched.once(stop.signal)).toMatchObject({ end: { kind: 'interrupted' } });
  held.resolve();
});

test('the job of another command is not waited for', async () => {
  const world = await createWorld({ service: { settings: { queueMs: 60 * MINUTE } } });
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.succeeds(['upload', world.local.root, '--batch', 'x']);
  await world.succeeds(['job', 'start', 'j1', '--batch', 'x', '--workflow', 'count-cups']);
  await world.succeeds(['watch', world.local.root, '--batch', 'x', '--settle', '1', '--once']);
});

test('a job that runs for hours is no stall', async () => {
  const world = await createWorld({
    service: { settings: { indexingMs: 10, queueMs: 10, stageMs: 10 } },
  });
  let ahead = 0;
  const jumping: Wrap = (ports) => ({
    ...ports,
    clock: { ...ports.clock, monotonicMs: () => ports.clock.monotonicMs() + ahead },
  });
  await world.local.write('1.jpg', tinyJpeg(1));
  await world.local.remember();
  world.service.faults.always('GET', /\/stages$/, { kind: 'status', status: 503 });
  const watched = await watchWorld(world, {
    rule: { job: { workflowId: 'count-cups' }, downloadTo: join(world.directory, 'results') },
    wraps: [jumping],
  });
  let looks = 0;
  const once = runWatches(watched.running, watched.watching, [watched.watch], {
    once: true,
    signal: new AbortController().signal,
    onMoment: () => {
      if (world.requestCount('GET', /\/stages$/) === 0) return;
      looks += 1;
      if (looks < 5) ahead += 30 * MINUTE;
      if (looks === 5) world.service.faults.clear();
    },
  });
  expect((await once).end).toEqual({ kind: 'settled' });
  expect(watched.news.map(({ kind }) => kind)).toEqual(['started', 'ended', 'fetched']);
});

test('a directory that goes away for a moment is waited for: what was not read yet is not forgotten', async () => {
  const world = await createWorld();
  const watched = await watchScanned(world);
  await world.local.write('late.jpg', tinyJpeg(1));
  await watched.until(() => watched.following().settling() > 0);
  const away = `${world.local.root}-away`;
  await rename(world.local.root, away);
  await watched.until(() => watched.following().condition() === 'missing');
  const once = watched.once();
  let ended = false;
  void once.then(() => (ended = true));
  await watched.until(() => watched.following().settling() === 0);
  expect(ended).toBe(false);
  await rename(away, world.local.root);
  expect(await once).toMatchObject({ end: { kind: 'settled' }, tally: { found: 1, confirmed: 1 } });
});

test('a directory that stays away ends the command, which says so', async () => {
  const world = await createWorld();
  const watched = await watchScanned(world, { wraps: [fastClock(50)] });
  await rename(world.local.root, `${world.local.root}-away`);
  await watched.until(() => watched.following().condition() === 'missing');
  expect((await watched.once()).end).toMatchObject({
    kind: 'blocked',
    error: { code: 'watch.missing', context: { path: world.local.root } },
  });
});
