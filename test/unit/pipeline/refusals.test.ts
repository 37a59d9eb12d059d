/** Files refused one after the other: the batch is refused. */
import { expect, test } from 'vitest';
import { sluiceError } from '../../../main/engine/errors.ts';
import { createRefusals } from '../../../main/engine/pipeline/refusals.ts';

const CONFLICT = sluiceError('service.refused', { status: 409 });
const TOO_LARGE = sluiceError('service.refused', { status: 413 });

test('three different files with the same answer', () => {
  const refusals = createRefusals();
  expect(refusals.note(1, 10, CONFLICT)).toBe(null);
  expect(refusals.note(1, 10, CONFLICT)).toBe(null);
  expect(refusals.note(1, 11, CONFLICT)).toBe(null);
  expect(refusals.note(2, 12, CONFLICT)).toBe(null);
  expect(refusals.note(1, 13, CONFLICT)).toEqual([10, 11, 13]);
  expect(refusals.note(1, 14, CONFLICT)).toBe(null);
});

test('another answer, or a file that was taken, begins anew', () => {
  const refusals = createRefusals();
  refusals.note(1, 10, CONFLICT);
  refusals.note(1, 11, CONFLICT);
  expect(refusals.note(1, 12, TOO_LARGE)).toBe(null);
  refusals.note(1, 13, CONFLICT);
  refusals.note(1, 14, CONFLICT);
  refusals.taken(1);
  expect(refusals.note(1, 15, CONFLICT)).toBe(null);
});
