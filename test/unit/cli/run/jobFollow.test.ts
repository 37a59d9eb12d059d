import { expect, test } from 'vitest';
import { describeProgress } from '../../../../main/cli/run/jobFollow.ts';

test.each([
  ['succeeded', null, '100 %'],
  ['succeeded', 0.9, '100 %'],
  ['failed', null, null],
  ['failed', 0.5, '50 %'],
  ['running', 0.5, '50 %'],
  ['running', null, 'waiting'],
] as const)('a task that %s with progress %s', (status, progressFraction, said) => {
  expect(describeProgress({ status, progressFraction })).toBe(said);
});
