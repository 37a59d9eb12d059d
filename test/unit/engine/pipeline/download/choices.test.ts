/** Small choices of the pipeline: which batch, which mode, when to retry, which bytes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generationId, imagesId, videosId } from '../../../../../main/engine/core/batchNames.ts';
import { sluiceError } from '../../../../../main/engine/core/errors.ts';
import { backoffMs } from '../../../../../main/engine/pipeline/backoff.ts';
import { unpackedPath } from '../../../../../main/engine/pipeline/download/downloadUnpack.ts';
import { isSameFile, spanOf } from '../../../../../main/engine/pipeline/download/resuming.ts';
import { baseIdFor, chooseMode } from '../../../../../main/engine/pipeline/plan/plan.ts';

describe('the batch of a kind', () => {
  test.each([
    ['image', false, false, null, 'b'],
    ['image', true, true, 'image', 'b'],
    ['image', true, true, 'video', 'b-images'],
    ['video', false, false, null, null],
    ['video', false, true, null, 'b'],
    ['video', true, false, null, null],
    ['video', true, true, null, null],
    ['video', true, false, 'video', 'b'],
    ['video', true, true, 'image', 'b-videos'],
    ['video', false, true, 'image', 'b-videos'],
    ['video', true, true, 'video', 'b'],
  ] as const)(
    '%s, images wait %s, scanned %s, batch holds %s: %s',
    (kind, imagesWait, scanned, holds, wanted) => {
      expect(baseIdFor(kind, 'b', { imagesWait, scanned, holds })).toBe(wanted);
    },
  );

  test('ids stay legal however long they were', () => {
    const ids = fc.stringMatching(/^[a-z0-9_-]{1,64}$/);
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 100_000 }), (id, generation) => {
        for (const made of [generationId(id, generation), videosId(id), imagesId(id)]) {
          expect(made).toMatch(/^[a-z0-9_-]{1,64}$/);
        }
        expect(generationId(id, 1)).toBe(id);
        expect(generationId(id, generation + 1)).not.toBe(generationId(id, generation + 2));
      }),
    );
  });
});

describe('the mode', () => {
  test.each([
    ['video', 'bulk', 500, true, null, 'single'],
    ['image', 'single', 500, true, 'bulk', 'single'],
    ['image', 'bulk', 1, true, 'single', 'bulk'],
    ['image', 'auto', 1, true, 'bulk', 'bulk'],
    ['image', 'auto', 500, true, 'single', 'single'],
    ['image', 'auto', 33, false, null, 'bulk'],
    ['image', 'auto', 32, true, null, 'single'],
    ['image', 'auto', 32, false, null, null],
  ] as const)(
    '%s, wanted %s, %i images, scanned %s, present %s: %s',
    (kind, mode, images, scanned, present, wanted) => {
      expect(chooseMode(kind, mode, { images, scanned, present })).toBe(wanted);
    },
  );
});

describe('the pause before the next try', () => {
  const BOUNDS = { backoffFirstMs: 1000, backoffMaxMs: 60_000 };
  test.each([
    [1, 0, 200],
    [1, 0.5, 600],
    [2, 0, 400],
    [7, 0, 12_000],
    [1000, 0, 12_000],
    [0, 0, 200],
  ])('after %i tries with fraction %f: %i ms', (attempts, fraction, wanted) => {
    expect(backoffMs(attempts, fraction, BOUNDS)).toBe(wanted);
  });

  test('stays within its bounds, and never below what the service asked for', () => {
    const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(5000),
        fractions,
        fc.option(fc.nat(3_600_000)),
        (attempts, fraction, stated) => {
          const error = stated === null ? null : sluiceError('service.busy', {}, stated);
          const pause = backoffMs(attempts, fraction, BOUNDS, error);
          expect(Number.isInteger(pause)).toBe(true);
          expect(pause).toBeGreaterThanOrEqual(stated ?? 200);
          expect(pause).toBeLessThanOrEqual(Math.max(stated ?? 0, BOUNDS.backoffMaxMs));
        },
      ),
    );
  });
});

describe('the bytes that an answer brings', () => {
  test.each([
    ['the whole', 200, { 'content-length': '10' }, 0, { from: 0, total: 10 }],
    [
      'the whole, though a rest was asked for',
      200,
      { 'content-length': '10' },
      4,
      { from: 0, total: 10 },
    ],
    ['without a length', 200, {}, 4, { from: 0, total: null }],
    ['a length that is none', 200, { 'content-length': '1e3' }, 0, null],
    ['the rest', 206, { 'content-range': 'bytes 4-9/10' }, 4, { from: 4, total: 10 }],
    [
      'the rest of an unknown whole',
      206,
      { 'content-range': 'bytes 4-9/*' },
      4,
      { from: 4, total: null },
    ],
    ['another rest', 206, { 'content-range': 'bytes 5-9/10' }, 4, null],
    ['a rest without a range', 206, {}, 4, null],
    ['a rest in other units', 206, { 'content-range': 'items 4-9/10' }, 4, null],
  ] as const)('%s', (_, status, headers, asked, wanted) => {
    expect(spanOf({ status, headers: { ...headers } }, asked)).toEqual(wanted);
  });
});

describe('whether a rest belongs to the beginning', () => {
  const DATE = 'Sun, 22 Nov 2026 20:00:00 GMT';
  test.each([
    ['the same ETag', '"a"', { etag: '"a"' }, true],
    ['another ETag', '"a"', { etag: '"b"' }, false],
    ['the same ETag, now weak', '"a"', { etag: 'W/"a"' }, false],
    ['no ETag any more', '"a"', { 'last-modified': DATE }, false],
    ['the same date', DATE, { 'last-modified': DATE }, true],
    ['another date', DATE, { 'last-modified': DATE.replace('22', '23') }, false],
    ['a date that is left out', DATE, {}, true],
    ['a beginning of an unknown file', null, { etag: '"a"' }, false],
  ] as const)('%s', (_, validator, headers, wanted) => {
    const answer = { headers: { ...headers } };
    expect(isSameFile(answer, 10, { validator, lengthBytes: null })).toBe(wanted);
    expect(isSameFile(answer, 10, { validator, lengthBytes: 10 })).toBe(wanted);
    expect(isSameFile(answer, null, { validator, lengthBytes: 10 })).toBe(wanted);
    expect(isSameFile(answer, 11, { validator, lengthBytes: 10 })).toBe(false);
  });
});

describe('where an archive is unpacked', () => {
  test.each([
    ['/r/a.tar.gz', [], '/r/a'],
    ['/r/a.TGZ', [], '/r/a'],
    ['/r/a.zip', ['/r/b.zip'], '/r/a'],
    ['/r/a.zip', ['/r/a'], '/r/a.zip.unpacked'],
    ['/r/a.zip', ['/r/a.tar'], '/r/a.zip.unpacked'],
    ['/r/a.csv', [], null],
    ['/r/a.gz', [], null],
  ] as const)('%s next to %j: %s', (path, others, wanted) => {
    expect(unpackedPath(path, (other) => others.some((one) => one === other))).toBe(wanted);
  });
});
