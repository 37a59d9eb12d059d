import { expect, test } from 'vitest';
import { splitCommand } from '../../../../main/cli/terminal/args.ts';
import { runCommand } from '../../../../main/cli/commands.ts';
import { COMMANDS, optionsOf } from '../../../../main/cli/options/pages.ts';
import { contextOf } from '../commandContext.ts';

test.each([
  [['status'], 'status', []],
  [['status', '--json'], 'status', ['--json']],
  [['--json', 'status', '--quiet'], 'status', ['--json', '--quiet']],
  [['--data-dir', 'watch', 'status'], 'status', ['--data-dir', 'watch']],
  [['--data-dir=watch', 'status'], 'status', ['--data-dir=watch']],
  [['--bogus', 'status'], '--bogus', ['status']],
  [['-', 'x'], '-', ['x']],
  [['--', 'x'], '--', ['x']],
  [[], null, []],
  [['--json'], null, ['--json']],
  [['--data-dir'], null, ['--data-dir']],
])('options of every command may stand before it: %j', (given, name, rest) => {
  expect(splitCommand(given)).toEqual({ name, rest });
});

/** Runs a command that must refuse before it needs anything. */
async function refusal(name: string, words: readonly string[]): Promise<string> {
  const command = COMMANDS[name];
  if (command === undefined) throw new Error('no such command');
  const context = contextOf(words, optionsOf(command));
  const end = await runCommand(name, context);
  return end.ok ? `exit ${end.value}` : end.error.code;
}

test.each(
  ['constructor', 'toString', '__proto__', 'hasOwnProperty'].flatMap((word) =>
    ['batch', 'job', 'folder', 'project', 'annotation-job', 'watch', 'completion'].map(
      (name) => [name, word] as const,
    ),
  ),
)('%s %s is no command', async (name, word) => {
  expect(await refusal(name, [word])).toBe('usage.invalid');
});

test('a second directory is never left out silently', async () => {
  expect(await refusal('watch', ['a', 'b', '--batch', 'x'])).toBe('usage.invalid');
});
