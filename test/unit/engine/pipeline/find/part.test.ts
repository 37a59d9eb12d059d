/** The share of the files that each of several machines sends. */
import { describe, expect, test } from 'vitest';
import { isInPart } from '../../../../../main/engine/pipeline/find/part.ts';

const PATHS = Array.from({ length: 4000 }, (_, n) => `cam-${n % 7}/frame-${n}.jpg`);

describe('isInPart', () => {
  test('every file is in one part, and the parts are about equal', () => {
    const of = 8;
    const owners = PATHS.map((path) =>
      Array.from({ length: of }, (_, index) => index).filter((index) =>
        isInPart({ index, of }, path),
      ),
    );
    expect(owners.every((parts) => parts.length === 1)).toBe(true);
    const sizes = Array.from(
      { length: of },
      (_, index) => owners.filter(([part]) => part === index).length,
    );
    expect(Math.min(...sizes)).toBeGreaterThan(400);
  });

  test('the spelling of a path by another system changes nothing', () => {
    const composed = 'caf\u00e9/bild.jpg';
    const decomposed = 'cafe\u0301/bild.jpg';
    for (let index = 0; index < 5; index += 1)
      expect(isInPart({ index, of: 5 }, decomposed)).toBe(isInPart({ index, of: 5 }, composed));
  });

  // Machines with different versions may share a batch: the parts must never change.
  test('the parts never change', () => {
    const part = ['a.jpg', 'b.jpg', 'cam-1/a.jpg', 'deep/er/ü.mp4'].map((path) =>
      [0, 1, 2, 3].find((index) => isInPart({ index, of: 4 }, path)),
    );
    expect(part).toEqual([2, 0, 0, 3]);
  });

  test('no part, or one part, is every file', () => {
    expect(PATHS.every((path) => isInPart(null, path) && isInPart({ index: 0, of: 1 }, path))).toBe(
      true,
    );
  });
});
