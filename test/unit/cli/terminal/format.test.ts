import { expect, test } from 'vitest';
import { formatInstant, iso } from '../../../../main/cli/terminal/format.ts';

test.each([null, 0])('an unknown time, %s, is not shown as 1970', (at) => {
  expect([formatInstant(at), iso(at)]).toEqual(['', null]);
});

test('a known time is shown', () => {
  expect(formatInstant(new Date(2026, 2, 4, 5, 6).getTime())).toBe('2026-03-04 05:06');
  expect(iso(1)).toBe('1970-01-01T00:00:00.001Z');
});
