/** The last line of `npm test` is only as true as these counts. */
import { expect, test } from 'vitest';
import { readCounts, runStage } from '../../../build/runStage.ts';

test('counts of Vitest and of Playwright', () => {
  const vitest = { numPassedTests: 12, numFailedTests: 2, numPendingTests: 1 };
  expect(readCounts('vitest', JSON.stringify(vitest))).toEqual({
    passed: 12,
    failed: 2,
    skipped: 1,
  });
  const stats = { expected: 5, unexpected: 1, flaky: 1, skipped: 3 };
  expect(readCounts('playwright', JSON.stringify({ stats }))).toEqual({
    passed: 5,
    failed: 2,
    skipped: 3,
  });
});

test.each(['', '{', 'null', '{}', '[]', '{"stats":{}}', '{"numPassedTests":"3"}'])(
  'a report that cannot be read is a failure: %s',
  (report) => {
    expect(readCounts('vitest', report)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(readCounts('playwright', report)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  },
);

test('a program that counts as one test', async () => {
  const stage = { name: 'x', program: 'prettier/prettier', counts: 'one' } as const;
  const fine = await runStage({ ...stage, args: ['--version'] }, false);
  expect(fine).toMatchObject({ passed: 1, failed: 0 });
  expect(fine.output).toMatch(/^\d+\./);
  const wrong = await runStage({ ...stage, args: ['--check', 'no-such-file.ts'] }, false);
  expect(wrong).toMatchObject({ passed: 0, failed: 1 });
});

test('a runner that fails without a failed test has failed all the same', async () => {
  const ended = await runStage(
    {
      name: 'x',
      program: 'vitest/vitest',
      args: ['run', '--project=unit', 'test/unit/no-such-file.test.ts'],
      counts: 'vitest',
    },
    false,
  );
  expect(ended).toMatchObject({ passed: 0, failed: 1 });
});
