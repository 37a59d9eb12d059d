import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStamp } from '../../../../../main/engine/core/ids.ts';
import { CHANGING_SHOWN_MS } from '../../../../../main/engine/core/limits.ts';
import type { FileFacts } from '../../../../../main/engine/core/model.ts';
import {
  decideSettle,
  isTouchedSince,
  type CheckedFile,
  longChanging,
  nextCheckAt,
  type Unsettled,
} from '../../../../../main/engine/pipeline/find/stability.ts';

const QUIET = 5_000;
const NOW = 1_800_000_000_000;

/** A file as a stat shows it, times in ms. */
interface Shown {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
}

function facts({ size, mtime, ctime, inode }: Shown): FileFacts {
  const stamp = `${size}:${mtime * 1e6}:${ctime * 1e6}:${inode}`;
  if (!isStamp(stamp)) throw new Error('a test stamp is legal');
  return { sizeBytes: size, touchedAt: Math.max(mtime, ctime), stamp };
}

const OLD: Shown = { size: 100, mtime: NOW - 60_000, ctime: NOW - 60_000, inode: 7 };

function look(shown: Shown, given: Partial<CheckedFile> = {}): CheckedFile {
  return {
    path: '/in/a.jpg',
    facts: facts(shown),
    before: null,
    trusted: false,
    remote: false,
    quietMs: QUIET,
    now: NOW,
    monotonicMs: 1_000_000,
    ...given,
  };
}

/** The state after a first check without trust. */
function unsettled(shown: Shown, since: number): Unsettled {
  return { path: '/in/a.jpg', stamp: facts(shown).stamp, since, foundAt: since };
}

describe('one check of a local file that a scan found', () => {
  test.each([
    ['long at rest', OLD, true],
    ['touched just now', { ...OLD, mtime: NOW, ctime: NOW }, false],
    ['touched exactly as long ago as the rest lasts', { ...OLD, ctime: NOW - QUIET }, true],
    ['touched a millisecond later', { ...OLD, ctime: NOW - QUIET + 1 }, false],
    ['its size reserved, its time an old one', { ...OLD, size: 5e6, ctime: NOW - 10 }, false],
    ['copied with its old times (cp -p)', { ...OLD, mtime: 0, ctime: NOW - 1 }, false],
    ['modified in the future', { ...OLD, mtime: NOW + 86_400_000 }, false],
  ] as const)('%s', (_, shown, isReady) => {
    expect(decideSettle(look(shown, { trusted: true })) === null).toBe(isReady);
  });

  test('no age is enough after a hint, or where times cannot be trusted', () => {
    expect(decideSettle(look(OLD))).toEqual(unsettled(OLD, 1_000_000));
  });
});

describe('two looks', () => {
  const at = 1_000_000;
  test.each([
    ['that agree, far enough apart', OLD, QUIET, true],
    ['that agree, too soon', OLD, QUIET - 1, false],
    ['at a grown file', { ...OLD, size: 101 }, QUIET, false],
    ['at a file whose mtime moved', { ...OLD, mtime: OLD.mtime + 1 }, QUIET, false],
    ['at a file whose ctime moved', { ...OLD, ctime: OLD.ctime + 1 }, QUIET, false],
    ['at another file under the name', { ...OLD, inode: 8 }, QUIET, false],
  ] as const)('%s', (_, shown, later, isReady) => {
    const before = unsettled(OLD, at);
    expect(decideSettle(look(shown, { before, monotonicMs: at + later })) === null).toBe(isReady);
  });

  test('that agree are enough for a file of the future', () => {
    const future = { ...OLD, mtime: NOW + 1e12 };
    const before = unsettled(future, at);
    expect(decideSettle(look(future, { before, monotonicMs: at + QUIET }))).toBeNull();
  });

  test.each([-1e10, 1e10])('count on a clock that never jumps: the wall clock by %i ms', (jump) => {
    const before = unsettled(OLD, at);
    const soon = look(OLD, { before, now: NOW + jump, monotonicMs: at + QUIET - 1 });
    expect(decideSettle(soon)).toEqual(before);
    const enough = look(OLD, { before, now: NOW + jump, monotonicMs: at + QUIET });
    expect(decideSettle(enough)).toBeNull();
  });

  test('that disagree start over', () => {
    const grown = { ...OLD, size: 200 };
    const answer = decideSettle(
      look(grown, { before: unsettled(OLD, at), monotonicMs: at + 9 * QUIET }),
    );
    expect(answer).toEqual({ ...unsettled(grown, at + 9 * QUIET), foundAt: at });
  });
});

test('an empty file on a network drive may be filled until a minute after its last change', () => {
  const empty = { ...OLD, size: 0, mtime: NOW - 30_000, ctime: NOW - 30_000 };
  const before = unsettled(empty, 1_000_000 - QUIET);
  const next = { ...unsettled(empty, 1_000_000), foundAt: before.foundAt };
  expect(decideSettle(look(empty, { before, remote: true }))).toEqual(next);
  const later = look(empty, { before, remote: true, now: NOW + 30_000 });
  expect(decideSettle(later)).toBeNull();
  expect(decideSettle(look(empty, { before }))).toBeNull();
});

test('the next look is due when the rest would be long enough', () => {
  expect(nextCheckAt(unsettled(OLD, 40), QUIET)).toBe(40 + QUIET);
});

describe('whatever happens to a file', () => {
  const change = fc.record({
    after: fc.integer({ min: 1, max: 3 * QUIET }),
    size: fc.integer({ min: 0, max: 3 }),
    mtime: fc.constantFrom(0, NOW, NOW + 1e9),
    inode: fc.integer({ min: 1, max: 2 }),
    jump: fc.constantFrom(0, 0, -1e8, 1e8),
  });

  test('after a hint it is ready only when it was unchanged for the whole settle time', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 30 }), (steps) => {
        let before: Unsettled | null = null;
        let monotonicMs = 0;
        let now = NOW;
        let since = 0;
        let stamp = '';
        for (const step of steps) {
          monotonicMs += step.after;
          now += step.after + step.jump;
          const seen = facts({ ...step, ctime: 1 });
          if (seen.stamp !== stamp) since = monotonicMs;
          stamp = seen.stamp;
          const answer = decideSettle(look(OLD, { facts: seen, before, monotonicMs, now }));
          expect(answer === null).toBe(monotonicMs - since >= QUIET);
          before = answer ?? unsettled({ ...step, ctime: 1 }, since);
        }
      }),
    );
  });

  test('while it changes, it is remembered since when', () => {
    const before = unsettled(OLD, 1000);
    const changed = look({ ...OLD, size: 101 }, { before, monotonicMs: 4000 });
    expect(decideSettle(changed)).toMatchObject({ since: 4000, foundAt: 1000 });
    const other = { ...before, path: '/in/b.jpg', foundAt: 2000 };
    const shownFrom = 1000 + QUIET + CHANGING_SHOWN_MS;
    const at = (monotonicMs: number): unknown => longChanging([other, before], QUIET, monotonicMs);
    expect(at(shownFrom - 1)).toBeNull();
    expect(at(shownFrom)).toMatchObject({ files: 1, example: '/in/a.jpg' });
    expect(at(shownFrom + 1000)).toMatchObject({ files: 2, example: '/in/a.jpg' });
  });

  test('while it grows faster than the settle time, no check calls it ready', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: QUIET - 1 }), { maxLength: 50 }), (pauses) => {
        let before: Unsettled | null = null;
        let elapsed = 0;
        pauses.forEach((pause, index) => {
          elapsed += pause;
          const shown = { ...OLD, size: index, mtime: NOW + elapsed, ctime: NOW + elapsed };
          // A hint and a scan may check it at the same time.
          for (const trusted of [false, true]) {
            const answer = decideSettle(
              look(shown, { before, trusted, now: NOW + elapsed, monotonicMs: elapsed }),
            );
            expect(answer).not.toBeNull();
            before = answer;
          }
        });
      }),
    );
  });
});

describe('isTouchedSince', () => {
  const since = NOW - 60_000;
  const old = { ...OLD, mtime: NOW - 90_000, ctime: NOW - 80_000 };

  test('the later of both times decides, whatever the other one says', () => {
    expect(isTouchedSince(facts(old), since, NOW)).toBe(false);
    expect(isTouchedSince(facts({ ...old, mtime: NOW }), since, NOW)).toBe(true);
    expect(isTouchedSince(facts({ ...old, ctime: NOW }), since, NOW)).toBe(true);
  });

  test('a modification time in the future makes an old file no new one', () => {
    const mtime = NOW + 86_400_000;
    expect(isTouchedSince(facts({ ...old, mtime }), since, NOW)).toBe(false);
    expect(isTouchedSince(facts({ ...old, mtime, ctime: NOW - 1 }), since, NOW)).toBe(true);
  });
});
