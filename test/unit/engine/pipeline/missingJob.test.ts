/** When a job counts as gone: not after one answer, nor after two in quick succession. */
import { expect, test } from 'vitest';
import {
  afterAnswer,
  isBelieved,
  missingPatience,
  NEVER_MISSING,
} from '../../../../main/engine/pipeline/missingJob.ts';

const PATIENCE_MS = 30_000;

test('two answers in a moment say nothing, and one in between starts over', () => {
  let missing = afterAnswer(NEVER_MISSING, true, 1_000);
  expect(isBelieved(missing, 1_000_000, PATIENCE_MS)).toBe(false);
  missing = afterAnswer(missing, true, 1_500);
  expect(isBelieved(missing, 1_500, PATIENCE_MS)).toBe(false);
  expect(isBelieved(afterAnswer(missing, true, 31_000), 31_000, PATIENCE_MS)).toBe(true);
  missing = afterAnswer(missing, false, 30_000);
  missing = afterAnswer(missing, true, 31_000);
  expect(isBelieved(afterAnswer(missing, true, 32_000), 32_000, PATIENCE_MS)).toBe(false);
});

test('the wait doubles with every restart', () => {
  expect([0, 1, 2].map((times) => missingPatience(times, PATIENCE_MS))).toEqual([
    30_000, 60_000, 120_000,
  ]);
});
