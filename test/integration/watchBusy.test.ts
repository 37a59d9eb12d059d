/** Files that are temporarily unavailable, and files that never stop changing: none is lost, none loops forever. */
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail } from '../../main/engine/core/errors.ts';
import { FILE_BUSY_TRIES, MAX_REREADS } from '../../main/engine/core/limits.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { fastClock, filesWith, type Wrap } from './ports.ts';
import { watchScanned } from './watchWorld.ts';
import { createWorld } from './world.ts';

type Call = 'stat' | 'inspect' | 'list';

/** Makes calls about one name fail as on a network drive, a given number of times; counts them. */
function stale(name: string, times: Partial<Record<Call, number>>, errno = 'ESTALE'): Wrap {
  const left = { stat: 0, inspect: 0, list: 0, ...times };
  const fails = (call: Call, path: string): boolean => {
    if (basename(path) !== name || left[call] <= 0) return false;
    left[call] -= 1;
    return true;
  };
  const busy = fail('file.busy', { errno });
  return filesWith((files) => {
    const each =
      <T>(call: 'stat' | 'inspect', real: (paths: readonly string[]) => Promise<readonly T[]>) =>
      async (paths: readonly string[]): Promise<readonly (T | typeof busy)[]> => {
        const answers = await real(paths);
        return answers.map((answer, index) => (fails(call, paths[index] ?? '') ? busy : answer));
      };
    return {
      stat: each('stat', files.stat),
      inspect: each('inspect', files.inspect),
      list: async (path) => (fails('list', path) ? busy : files.list(path)),
    };
  });
}

const ALWAYS = 1_000_000;

describe('a process that may open no more files', () => {
  const OFTEN = 3 * FILE_BUSY_TRIES;
  test.each([
    ['watch', { stat: OFTEN }],
    ['watch', { inspect: OFTEN }],
    ['upload', { inspect: OFTEN }],
  ] as const)('%s waits for it and says so, and no file is given up: %o', async (name, times) => {
    const world = await createWorld();
    await world.local.write('first.jpg', tinyJpeg(1));
    await world.local.write('late.jpg', tinyJpeg(2));
    await world.local.remember();
    const more = name === 'watch' ? ['--once', '--settle', '1'] : [];
    const args = [name, world.local.root, '--batch', 'x', ...more];
    const end = await world.succeeds(args, [stale('late.jpg', times, 'EMFILE'), fastClock(20)]);
    expect(end.stderr).toContain('ulimit -n');
    expect(end.events.at(-1)).toMatchObject({ found: 2, confirmed: 2, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});

describe('a network drive that hiccups', () => {
  test.each([
    ['a look', 'late.jpg', { stat: 4 }],
    ['reading', 'late.jpg', { inspect: 4 }],
    ['listing a directory', 'cam', { list: 4 }],
  ] as const)(
    '%s fails for a while: watch --once waits, nothing is skipped',
    async (_, name, times) => {
      const world = await createWorld();
      await world.local.write('first.jpg', tinyJpeg(1));
      await world.local.write('cam/late.jpg', tinyJpeg(2));
      await world.local.remember();
      const args = ['watch', world.local.root, '--batch', 'x', '--once', '--settle', '1'];
      const end = await world.succeeds(args, [stale(name, times), fastClock(10)]);
      expect(end.events.at(-1)).toMatchObject({ found: 2, confirmed: 2, skipped: 0 });
      await world.expectExactlyOnce({ allConfirmed: true });
    },
  );

  test.each([
    ['a look', 'late.jpg', 'stat', 'item.unreadable'],
    ['reading', 'late.jpg', 'inspect', 'item.unreadable'],
    ['listing a directory', 'cam', 'list', 'directory.unreadable'],
  ] as const)('%s fails for good: watch --once says so', async (_, name, call, code) => {
    const world = await createWorld();
    await world.local.write('first.jpg', tinyJpeg(1));
    await world.local.write('cam/late.jpg', tinyJpeg(2));
    const args = ['watch', world.local.root, '--batch', 'x', '--once', '--settle', '1'];
    const end = await world.cli(args, [stale(name, { [call]: ALWAYS }), fastClock(100)]);
    expect(end.exitCode, end.stderr).toBe(3);
    expect(end.events.at(-1)).toMatchObject({ found: 2, confirmed: 1, attention: 1 });
    const problems = await world.cli(['problems']);
    expect(problems.stdout).toContain(code);
    // The next run finds it readable again.
    const again = await world.succeeds(args);
    expect(again.events.at(-1)).toMatchObject({ confirmed: 2, attention: 0 });
  });

  test.each([
    ['a look', { stat: FILE_BUSY_TRIES - 1 }, 'late.jpg'],
    ['listing a directory', { list: FILE_BUSY_TRIES + 2 }, 'cam'],
  ] as const)(
    'a watch goes on by itself, long before the next scan: %s',
    async (_, times, name) => {
      const world = await createWorld();
      const watched = await watchScanned(world, { wraps: [stale(name, times), fastClock(20)] });
      await world.local.write('cam/late.jpg', tinyJpeg(2));
      watched.following().scanNow();
      await watched.until(() => watched.states()['cam/late.jpg'] === 'confirmed');
      await watched.until(
        () => !Object.values(watched.states()).some((one) => one.startsWith('park')),
      );
    },
  );

  test('an upload waits for a directory that cannot be listed for a while', async () => {
    const world = await createWorld();
    await world.local.write('cam/late.jpg', tinyJpeg(2));
    await world.local.remember();
    const wraps = [stale('cam', { list: 3 }), fastClock(10)];
    expect((await world.upload({ wraps })).tally).toMatchObject({ confirmed: 1, attention: 0 });
  });
});

describe('a file that never reads as its size says', () => {
  /** Reads of one name end like those of a pseudo file; every check shows the same. */
  function pseudo(name: string, counts: { inspected: number }): Wrap {
    return filesWith((files) => ({
      inspect: async (paths) => {
        const results = await files.inspect(paths);
        return results.map((result, index) => {
          if (basename(paths[index] ?? '') !== name) return result;
          counts.inspected += 1;
          return fail('item.changed', { bytes: 4096, bytesLater: 4096 });
        });
      },
    }));
  }

  test('is parked with the facts, and read no more until it is touched', async () => {
    // The clock is a hundred times as fast as the service: whatever depends on time needs its full duration.
    const times = {
      lateCommitMs: 60_000,
      unmeasuredLagMs: 120_000,

      sentPatienceMs: 600_000,
    };
    const world = await createWorld({ times: { ...times, orphanShardMs: 900_000 } });
    const counts = { inspected: 0 };
    await world.local.write('odd.jpg', tinyJpeg(1));
    await world.local.write('good.jpg', tinyJpeg(2));
    const args = ['watch', world.local.root, '--batch', 'x', '--once', '--settle', '1'];
    const wraps = [pseudo('odd.jpg', counts), fastClock(100)];
    const end = await world.cli(args, wraps);
    expect(end.exitCode, end.stderr).toBe(3);
    expect(end.events.at(-1)).toMatchObject({ confirmed: 1, attention: 1 });
    expect(counts.inspected).toBe(MAX_REREADS + 1);
    const again = await world.cli(args, wraps);
    expect(again.exitCode).toBe(3);
    expect(counts.inspected).toBe(MAX_REREADS + 1);
    await world.local.write('odd.jpg', tinyJpeg(3));
    await world.local.remember();
    const healed = await world.succeeds(args);
    expect(healed.events.at(-1)).toMatchObject({ confirmed: 2, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
  });
});
