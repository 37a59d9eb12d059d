/** How a stage of the tests ends. */
import { expect, test } from 'vitest';
import { runStage } from '../../../build/runStage.ts';

test('a program that counts as one test', async () => {
  const stage = { name: 'x', program: 'oxfmt/oxfmt', counts: 'one' } as const;
  const fine = await runStage({ ...stage, args: ['--version'] }, false);
  expect(fine).toMatchObject({ passed: 1, failed: 0 });
  expect(fine.output).toMatch(/^Version: \d/);
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
