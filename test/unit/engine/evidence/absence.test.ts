/** When something that is not listed is proved to be absent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isProvenAbsent,
  isStillAbsent,
  provenAt,
} from '../../../../main/engine/evidence/absence.ts';

const TIMES = { lateCommitMs: 30_000, unmeasuredLagMs: 180_000 };
const BASE = {
  lastByteAt: 0,
  listedAt: 0,
  newestListedAt: null,
  lagMs: null,
  watchedSince: Number.NEGATIVE_INFINITY,
  wasAbsentBefore: true,
};

test('a first listing proves nothing, however late', () => {
  const late = { ...BASE, listedAt: 1e9, newestListedAt: 1e8, wasAbsentBefore: false };
  expect(isProvenAbsent(late, TIMES)).toBe(false);
});

test.each([
  ['nothing was ever listed', { newestListedAt: null, lagMs: null }, 210_000],
  ['something delivered much later is listed', { newestListedAt: 30_000, lagMs: null }, 30_000],
  ['only earlier deliveries are listed, quickly', { newestListedAt: -1, lagMs: 100 }, 30_200],
  [
    'only earlier deliveries are listed, after 50 s',
    { newestListedAt: -1, lagMs: 50_000 },
    130_000,
  ],
  [
    'something delivered a little later is listed: lists may be out of order',
    { newestListedAt: 1_000, lagMs: 50_000 },
    130_000,
  ],
] as const)('%s', (_, given, at) => {
  expect(provenAt({ ...BASE, ...given }, TIMES)).toBe(at);
  expect(isProvenAbsent({ ...BASE, ...given, listedAt: at - 1 }, TIMES)).toBe(false);
  expect(isProvenAbsent({ ...BASE, ...given, listedAt: at }, TIMES)).toBe(true);
});

test.each([
  [null, 1_030_000],
  [50_000, 1_080_000],
] as const)('an old doubt is not settled right after the start (lag %s)', (lagMs, at) => {
  const old = { ...BASE, lagMs, watchedSince: 1e6 };
  expect(provenAt({ ...old, newestListedAt: 1e6 }, TIMES)).toBe(at);
  expect(provenAt(old, TIMES)).toBe(at);
});

test('a service that lists in order, however slowly, is never misjudged once its lag was seen', () => {
  const cases = fc.record({
    lag: fc.nat(600_000),
    seen: fc.nat(600_000),
    asked: fc.nat(2_000_000),
  });
  fc.assert(
    fc.property(cases, ({ lag, seen, asked }) => {
      // Delivered at 0, listed at `lag`; another one was observed to take `seen`, at least half of that.
      fc.pre(lag <= seen * 2);
      const absence = { ...BASE, listedAt: asked, newestListedAt: -1, lagMs: seen };
      if (asked < lag) expect(isProvenAbsent(absence, TIMES)).toBe(false);
    }),
  );
});

const PATIENT = { ...TIMES, sentPatienceMs: 600_000 };

test.each([
  ['half a minute', { absentAt: 650_000, lastByteAt: 40_000 }, 680_000],
  [
    'half of what it was absent beyond any first proof',
    { absentAt: 1_050_000, lastByteAt: 40_000 },
    1_150_000,
  ],
] as const)('a proof of absence holds for %s', (_, proof, until) => {
  expect(isStillAbsent(proof, until, PATIENT)).toBe(true);
  expect(isStillAbsent(proof, until + 1, PATIENT)).toBe(false);
});

test('a proof that must be renewed never holds', () => {
  expect(isStillAbsent({ absentAt: 0, lastByteAt: 0 }, 0, PATIENT)).toBe(false);
});
