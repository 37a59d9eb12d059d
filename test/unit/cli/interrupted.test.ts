import { expect, test } from 'vitest';
import type { Result } from '../../../preload/contract/errors.ts';
import { runProgram } from '../../../main/cli/program.ts';
import { fail, ok } from '../../../main/engine/core/errors.ts';
import { systemClock } from '../../../main/systemClock.ts';

const UPLOAD = ['upload', 'pictures', '--batch', 'cups'];

async function program(
  dispatch: () => Promise<Result<number>>,
  { signal }: AbortController,
  given: readonly string[],
) {
  let stderr = '';
  let stdout = '';
  const columns = () => 80;
  const exit = await runProgram(given, {
    stdout: { write: (text) => void (stdout += text), isTTY: false, isDumb: false, columns },
    stderr: { write: (text) => void (stderr += text), isTTY: false, isDumb: false, columns },
    environment: { SLUICE_API_KEY: 'a-key' },
    clock: systemClock,
    open: () => ({
      signal,
      ports: () => Promise.reject(new Error('this needs ports')),
      prepareFiles: () => Promise.resolve(),
    }),
    dispatch,
  });
  return { exit, stderr, stdout };
}

function interrupted(result: Result<number>, given: readonly string[] = UPLOAD) {
  const stop = new AbortController();
  const dispatch = (): Promise<Result<number>> => {
    stop.abort();
    return Promise.resolve(result);
  };
  return program(dispatch, stop, given);
}

test('a command that is interrupted before it has begun says so, not what could not be done', async () => {
  const { exit, stderr } = await interrupted(fail('network.lost'));
  expect(exit).toBe(130);
  expect(stderr).toMatch(/^Interrupted\. Nothing is lost[^\n]*\n$/);
});

test('a command that said by itself that it is interrupted says it once', async () => {
  expect(await interrupted(ok(130))).toEqual({ exit: 130, stderr: '', stdout: '' });
});

test.each([
  [UPLOAD],
  [['watch', 'pictures', '--batch', 'cups']],
  [['watch', 'pictures', '--batch', 'cups', '--once']],
  [['watch', 'run']],
])('%j that is interrupted before it has begun ends with its summary', async (given) => {
  const { exit, stdout } = await interrupted(fail('network.lost'), [...given, '--json']);
  expect(exit).toBe(130);
  const events = stdout.split('\n').filter((line) => line !== '');
  expect(events).toHaveLength(1);
  expect(JSON.parse(events[0] ?? '')).toMatchObject({
    event: 'summary',
    found: 0,
    confirmed: 0,
    skipped: 0,
    attention: 0,
    bytes: 0,
    seconds: expect.any(Number),
  });
});

test('a part of the program that cannot be loaded, as too many files are open, is no bug', async () => {
  const thrown = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  const loading = () => Promise.reject(thrown);
  const { exit, stdout } = await program(loading, new AbortController(), [...UPLOAD, '--json']);
  expect(exit).toBe(3);
  const [error, summary, ...rest] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([error.code, summary.event, rest]).toEqual(['system.openFiles', 'summary', []]);
});
