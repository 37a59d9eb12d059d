/**
 * What every command line does, one per line of two files: exit code, which stream got text, and how the arguments were parsed. The files
 * were written with the parser before commander; changing them means changing the contract. A line that is added needs only its command.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../../main/cli/commands.ts';
import type { CommandContext } from '../../../main/cli/session/context.ts';
import { runProgram } from '../../../main/cli/program.ts';
import { systemClock } from '../../../main/systemClock.ts';
import { ok } from '../../../main/engine/core/errors.ts';
import { ALL_OPTIONS, EVERY_COMMAND } from './commandLineTable.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-lines-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The argument lists of the command lines in a file. */
function listed(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [, ...words] = (line.split(' → ')[0] ?? '').split(' ');
    return words.map((word) => word.replace(/^'(.*)'$/, '$1'));
  });
}

/** Everything that the command received: its arguments and each option that is set. */
function understood({ args }: CommandContext): string {
  const options = Object.entries(ALL_OPTIONS).flatMap(([name, kind]) => {
    const value =
      kind === 'flag' ? args.flag(name) : kind === 'text' ? args.text(name) : args.texts(name);
    const isUnset = value === null || value === false || (Array.isArray(value) && !value.length);
    return isUnset ? [] : [value === true ? name : `${name}=${JSON.stringify(value)}`];
  });
  return [JSON.stringify(args.words), ...options].join(' ');
}

/** What a stream got: nothing, help, events, or text. */
function kindOf(text: string): string {
  if (text === '') return '-';
  if (/^\{"event":"error"/.test(text)) {
    const event: unknown = JSON.parse(text.split('\n')[0] ?? '');
    return `error ${String(Object(event).code)}`;
  }
  if (text.startsWith('{')) return 'event';
  return /Options of every command/i.test(text) ? 'help' : 'words';
}

/** Runs the program. With `isReal` it runs the command, without ports; otherwise it only records what the command received. */
async function run(
  given: readonly string[],
  isReal: boolean,
): Promise<{
  readonly line: string;
  readonly outcome: string;
  readonly exit: number;
  readonly stderr: string;
}> {
  let stdout = '';
  let stderr = '';
  let seen = '';
  const columns = (): number => 80;
  const exit = await runProgram(given, {
    stdout: { write: (text) => void (stdout += text), isTTY: false, columns },
    stderr: { write: (text) => void (stderr += text), isTTY: false, columns },
    environment: { SLUICE_API_KEY: 'a-key' },
    clock: systemClock,
    open: () => ({
      signal: new AbortController().signal,
      ports: () => Promise.reject(new Error('this needs ports')),
      prepareFiles: () => Promise.resolve(),
    }),
    dispatch: async (name, context) => {
      seen = ` | ${name} ${understood(context)}`;
      const dataDirectory = join(directory, 'data');
      return isReal ? runCommand(name, { ...context, dataDirectory }) : ok(0);
    },
  });
  const words = given.map((word) => (/^[\w./=-]+$/.test(word) ? word : `'${word}'`));
  const outcome = `exit ${exit} | out ${kindOf(stdout)} | err ${kindOf(stderr)}${seen}`;
  return { line: ['sluice', ...words].join(' '), outcome, exit, stderr };
}

/** Every form in which an option can be given, right and wrong, with the expected result. */
function forms(command: string): readonly (readonly [readonly string[], string])[] {
  const bad = 'exit 2 | out - | err words';
  const fine = (text: string): string => `exit 0 | out - | err - | ${command} ${text}`;
  const options = { ...EVERY_COMMAND[command], ...EVERY_COMMAND[''] };
  return Object.entries(options).flatMap(([name, kind]) => {
    const option = `--${name}`;
    const first = Object.hasOwn(EVERY_COMMAND[''] ?? {}, name);
    if (kind === 'flag') {
      return [
        [[command, 'x', option], fine(`["x"] ${name}`)],
        [[command, option, option, 'x'], fine(`["x"] ${name}`)],
        [[option, command], first ? fine(`[] ${name}`) : bad],
        [[command, `${option}=true`], bad],
        [
          [command, `--no-${name}`],
          command === 'watch' && ['links', 'unpack', 'save-images'].includes(name)
            ? fine(`[] no-${name}`)
            : bad,
        ],
      ];
    }
    const set = (...values: readonly string[]): string =>
      `${name}=${JSON.stringify(kind === 'texts' ? values : values.at(-1))}`;
    return [
      [[command, option, 'v', 'x'], fine(`["x"] ${set('v')}`)],
      [[command, 'x', `${option}=v w`], fine(`["x"] ${set('v w')}`)],
      [[command, option, 'v', `${option}=w`], fine(`[] ${set('v', 'w')}`)],
      [[command, `${option}=-5`], fine(`[] ${set('-5')}`)],
      [[command, option, '-'], fine(`[] ${set('-')}`)],
      [[command, option, '', 'x'], fine(kind === 'texts' ? `["x"] ${set('')}` : '["x"]')],
      [[option, 'v', command, 'x'], first ? fine(`["x"] ${set('v')}`) : bad],
      [[command, option], bad],
      [[command, option, '-5'], bad],
      [[command, option, '--quiet'], bad],
      [[command, option, '--', 'x'], bad],
    ];
  });
}

const NAMES = Object.keys(EVERY_COMMAND).filter((name) => name !== '');

test.each(NAMES)('every option of %s, in every form', async (name) => {
  for (const [given, expected] of forms(name)) {
    const { line, outcome } = await run(given, false);
    // Under --json the refusal is an event.
    const wanted = given.includes('--json')
      ? expected.replace('out - | err words', 'out error usage.invalid | err words')
      : expected;
    expect(`${line} → ${outcome}`).toBe(`${line} → ${wanted}`);
  }
});

test('mistakes before a command is known, and ways to ask for help', async () => {
  const lines: string[] = [];
  for (const given of listed('commandLines.program.txt')) {
    const { line, outcome } = await run(given, false);
    lines.push(`${line} → ${outcome}\n`);
  }
  await expect(lines.join('')).toMatchFileSnapshot('commandLines.program.txt');
});

test('mistakes of each command', async () => {
  const lines: string[] = [];
  for (const given of listed('commandLines.commands.txt')) {
    const { line, outcome, exit } = await run(given, true);
    lines.push(`${line} → ${outcome}\n`);
    if (given.includes('--csv')) continue;
    const json = await run([...given, '--json'], true);
    expect(json.exit, line).toBe(exit);
    expect(json.outcome, line).toMatch(/out (error [a-z]+\.[A-Za-z]+|event)/);
  }
  await expect(lines.join('')).toMatchFileSnapshot('commandLines.commands.txt');
});

describe('what the first version did not have', () => {
  async function refuses(line: string, said: string): Promise<void> {
    const { exit, stderr } = await run(line.split(' '), true);
    expect(exit).toBe(2);
    expect(stderr).toContain(said);
  }

  test.each([
    ['watch add a b --batch x', 'watch add takes one DIR)'],
    ['watch a b --batch x', 'watch takes one DIR; for several: watch add, then watch run)'],
    ['watch pause 1 2', 'watch pause takes one ID)'],
    ['batch download a b --to /tmp/x', 'batch download takes one ID)'],
    ['batch receipt a b', 'batch receipt takes one ID; with --merge it takes receipts)'],
    ['job start a b --batch x --workflow w', 'job start takes one ID|auto)'],
    ['job tasks j s t', 'job tasks takes ID and STAGE)'],
    ['job abort a b', 'job abort takes one ID)'],
    ['folder create a b', 'folder create takes one NAME; quote a name with spaces)'],
    ['project insights a b', 'project insights takes one PROJECT)'],
  ])('a word too many is refused, not left undone: sluice %s', refuses);

  test.each([
    ['upload --batch b', 'upload needs at least one PATH)'],
    ['upload p --batch', '(--batch needs ID)'],
    ['problems --retry', '(--retry needs ID|all)'],
    ['job tasks j', 'job tasks needs ID and STAGE)'],
    ['folder move p', 'folder move needs --to FOLDER)'],
    [
      'annotation-job create p --name n',
      '--batch BATCH, --images N, --labeler EMAIL and --reviewer',
    ],
    ['folder create \t', 'the NAME of the folder is blank)'],
    ['job start auto', 'job start needs --batch ID and --workflow WF)'],
    ['job start auto --definition /nowhere', 'the definition file cannot be read'],
  ])('what is missing is named: sluice %s', refuses);

  test.each([
    ['--version', 'exit 0 | out words | err -'],
    ['-V', 'exit 0 | out words | err -'],
    ['--version --json', 'exit 0 | out event | err -'],
    ['status --version', 'exit 0 | out words | err -'],
    ['batch files -V', 'exit 0 | out words | err -'],
    ['help --version', 'exit 0 | out words | err -'],
    ['upload -- --version', 'exit 0 | out - | err - | upload ["--version"]'],
    ['upload -h', 'exit 0 | out help | err -'],
    ['-h upload', 'exit 0 | out help | err -'],
    ['batch files -h', 'exit 0 | out help | err -'],
    ['watch add --help --json', 'exit 0 | out - | err help'],
    ['help watch add', 'exit 0 | out help | err -'],
    ['help batch files --json', 'exit 0 | out - | err help'],
    ['help uplaod', 'exit 2 | out - | err words'],
    ['help batch fils', 'exit 2 | out - | err words'],
  ])('sluice %s', async (line, outcome) => {
    expect((await run(line.split(' '), false)).outcome).toBe(outcome);
  });

  test.each([
    ['uplaod x', 'Did you mean upload?'],
    ['download x', 'Did you mean sluice batch download?'],
    ['--jsno status', 'Did you mean --json?'],
    ['upload x --bacth b', 'Did you mean --batch?'],
    ['batch dowload b', 'Did you mean download?'],
    ['watch lst', 'Did you mean list?'],
    ['help batch fils', 'Did you mean files?'],
    ['batch', 'batch needs list, count, shards, parts, files, download or receipt'],
    ['project rename', 'project needs list, insights, trend or batches'],
    ['batch files', 'See sluice help batch files.'],
    ['completion tcsh', 'completion needs bash, zsh or fish'],
    ['problems --retry x', '--retry needs an id as sluice problems shows it, or all'],
    ['problems --retry 1 --ignore 2', 'not several'],
    ['job start x --batch b --workflow w --workers 3', '--workers is 1, 2, 4 or 8'],
    ['batch download b --to package.json', '--to is not a folder'],
    ['run test --batch b --workflow w --to package.json', '--to is not a folder'],
    ['upload x --name -5', '--name=VALUE'],
  ])('sluice %s: %s', refuses);
});

test.each([
  ['watch run --exclude a --new-only', 'watch run ignores --exclude, --new-only.'],
  ['watch pause 1 --keep', 'watch pause ignores --keep.'],
  ['job list --workflow w', 'job list ignores --workflow.'],
  ['pause cups', 'pause ignores cups.'],
  ['watch remove 1 --keep', null],
  ['watch d --batch b --exclude a', null],
])('what does nothing is named: %s', async (line, said) => {
  const { stderr } = await run(line.split(' '), true);
  if (said === null) expect(stderr).not.toContain('ignores');
  else expect(stderr).toContain(said);
});

test('a link that leads nowhere is called that', async () => {
  const link = join(directory, 'link.jpg');
  await symlink(join(directory, 'nowhere'), link);
  const { exit, stderr } = await run(['upload', link, '--batch', 'b'], true);
  expect(exit).toBe(2);
  expect(stderr).toContain(`the link leads to no file: ${link}`);
});

test('words are ignored with a note, or refused, not both', async () => {
  const refused = await run(['doctor', 'x'], true);
  expect(refused.stderr).toContain('doctor takes no words');
  expect(refused.stderr).not.toContain('ignores');
});
