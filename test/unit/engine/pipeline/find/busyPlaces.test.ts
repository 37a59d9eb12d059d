import { describe, expect, test } from 'vitest';
import { fail, ok, sluiceError, type SluiceError } from '../../../../../main/engine/core/errors.ts';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { FILE_BUSY_MAX_MS, FILE_BUSY_TRIES } from '../../../../../main/engine/core/limits.ts';
import {
  busyPauseMs,
  createBusyPlaces,
  withSteadyListing,
} from '../../../../../main/engine/pipeline/find/busyPlaces.ts';
import type { Files } from '../../../../../main/engine/core/ports.ts';
import { createVirtualClock } from '../virtualClock.ts';

test('pauses double up to the longest: about a minute before it is reported', () => {
  const pauses = Array.from({ length: FILE_BUSY_TRIES }, (_, index) => busyPauseMs(index + 1));
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, FILE_BUSY_MAX_MS, FILE_BUSY_MAX_MS]);
});

describe('a place that cannot be looked at', () => {
  test('is due after its pause, and only once until the check has ended', () => {
    const busy = createBusyPlaces();
    expect(busy.failed('/a', false, 0)).toBe(false);
    expect(busy.nextAt()).toBe(1000);
    expect(busy.due(999).files).toEqual([]);
    expect(busy.due(1000)).toEqual({ files: ['/a'], directories: [] });
    expect(busy.due(1001).files).toEqual([]);
    expect(busy.failed('/a', false, 1001)).toBe(false);
    expect(busy.nextAt()).toBe(3001);
  });

  test('is never reported because no more files may be open, and keeps its count', () => {
    const busy = createBusyPlaces();
    busy.failed('/a', false, 0);
    for (let look = 0; look < 3 * FILE_BUSY_TRIES; look += 1)
      expect(busy.failed('/a', false, 0, true)).toBe(false);
    expect(busy.nextAt()).toBe(4000);
    expect(busy.expected()).toHaveLength(1);
    busy.failed('/a', false, 0);
    expect(busy.nextAt()).toBe(2000);
  });

  test('is reported once, expected no more then, and still tried', () => {
    const busy = createBusyPlaces();
    busy.failed('/other', false, 0);
    const reports = Array.from({ length: FILE_BUSY_TRIES + 2 }, () => busy.failed('/a', false, 0));
    expect(reports.filter(Boolean)).toHaveLength(1);
    expect(reports[FILE_BUSY_TRIES - 1]).toBe(true);
    expect(busy.expected()).toHaveLength(1);
    expect(busy.due(FILE_BUSY_MAX_MS).files).toEqual(['/other', '/a']);
    expect(busy.ended('/a')).toBe(true);
    expect(busy.ended('/other')).toBe(false);
    expect(busy.expected()).toHaveLength(0);
    expect(busy.nextAt()).toBeNull();
  });

  test('directories that were listed after all are ended together', () => {
    const busy = createBusyPlaces();
    for (const path of ['/a', '/b']) busy.failed(path, true, 0);
    busy.failed('/file', false, 0);
    busy.endDirectories(new Set(['/b']));
    expect(busy.due(5000)).toEqual({ files: ['/file'], directories: ['/b'] });
  });
});

describe('the listing of a command that ends', () => {
  function listing(
    failures: number,
    errno = 'ESTALE',
    away: SluiceError | null = null,
  ): {
    files: Files;
    clock: ReturnType<typeof createVirtualClock>;
  } {
    let left = failures;
    const clock = createVirtualClock();
    const files: Files = {
      ...createInlineFiles(),
      list: () => {
        left -= 1;
        return Promise.resolve(left < 0 ? ok([]) : fail('file.busy', { errno }));
      },
    };
    const { signal } = new AbortController();
    return { files: withSteadyListing(files, clock, signal, () => Promise.resolve(away)), clock };
  }

  test('waits out a passing failure', async () => {
    const { files, clock } = listing(3);
    const answer = files.list('/in');
    await clock.advance(7000);
    expect(await answer).toEqual(ok([]));
  });

  test('waits until this process may open files again', async () => {
    const { files, clock } = listing(FILE_BUSY_TRIES * 3, 'EMFILE');
    const answer = files.list('/in');
    await clock.advance(3_600_000);
    expect(await answer).toEqual(ok([]));
  });

  test('does not wait for a drive that does not answer', async () => {
    const silent = sluiceError('disk.missing', { said: '/in does not answer' });
    const { files } = listing(1000, 'ESTALE', silent);
    expect(await files.list('/in')).toMatchObject({
      error: { code: 'directory.unreadable', context: silent.context },
    });
  });

  test('reports it when it lasts', async () => {
    const { files, clock } = listing(1000);
    const answer = files.list('/in');
    await clock.advance(120_000);
    expect(await answer).toMatchObject({
      error: { code: 'directory.unreadable', context: { errno: 'ESTALE', tries: FILE_BUSY_TRIES } },
    });
  });
});
