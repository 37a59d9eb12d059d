/** The last lines of `npm test` are only as correct as the reports that are parsed here. */
import { expect, test } from 'vitest';
import { readCounts, readFailures } from '../../../build/testReports.ts';

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

test('the failed tests of Vitest, and files that could not be loaded', () => {
  const report = {
    testResults: [
      {
        name: 'a.test.ts',
        assertionResults: [
          { status: 'passed', fullName: 'fine', failureMessages: [] },
          { status: 'failed', fullName: 'sums up', failureMessages: ['Error: 3 is not 4\nat a:1'] },
        ],
      },
      { name: 'b.test.ts', message: 'no such module', assertionResults: [] },
      { name: 'c.test.ts', message: '', assertionResults: [] },
    ],
  };
  expect(readFailures('vitest', JSON.stringify(report))).toEqual([
    'a.test.ts › sums up\n    Error: 3 is not 4\n    at a:1',
    'b.test.ts\n    no such module',
  ]);
});

test('the failed tests of Playwright, also inside groups, and those that passed only when repeated', () => {
  const failed = (title: string, status: string): object => ({
    file: 'x.e2e.ts',
    title,
    tests: [{ status, results: [{ error: { message: 'not visible' } }, {}] }],
  });
  const report = {
    suites: [
      {
        specs: [failed('opens', 'unexpected'), failed('closes', 'expected')],
        suites: [{ specs: [failed('moves', 'flaky')] }],
      },
    ],
  };
  expect(readFailures('playwright', JSON.stringify(report))).toEqual([
    'x.e2e.ts › moves\n    not visible',
    'x.e2e.ts › opens\n    not visible',
  ]);
});

test('a long message is cut, and a report that cannot be read names nothing', () => {
  const failureMessages = [Array.from({ length: 400 }, (_, line) => `line ${line}`).join('\n')];
  const assertionResults = [{ status: 'failed', fullName: 'long', failureMessages }];
  const report = JSON.stringify({ testResults: [{ name: 'a', assertionResults }] });
  expect(readFailures('vitest', report)[0]?.split('\n')).toHaveLength(13);
  for (const broken of ['', '{', '{}', 'null']) expect(readFailures('vitest', broken)).toEqual([]);
});
