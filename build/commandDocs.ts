/** Documents made from the code: the command reference (docs/commands.md), the error reference (docs/errors.md), and the man page. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PROJECT from '../package.json' with { type: 'json' };
import type { ErrorCode, NextStep } from '../preload/contract/errors.ts';
import { ABOUT, describeOption, optionTerm, sentence, usageOf } from '../main/cli/help.ts';
import { GLOBAL_OPTIONS } from '../main/cli/options/globals.ts';
import { COMMANDS, subcommandsOf } from '../main/cli/options/pages.ts';
import type { CommandSpec, Options, OptionSpec, Page } from '../main/cli/options/types.ts';
import { EXIT_MEANINGS } from '../main/cli/terminal/exitCode.ts';
import { ERROR_CODES, sluiceError, wordsOf } from '../main/engine/core/errors.ts';
import { FILE_TRIED_AGAIN } from '../main/engine/evidence/causes.ts';

const MADE = '<!-- made by npm run docs; do not edit -->';

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function shortUsage(page: Page & Partial<CommandSpec>): string {
  return usageOf(page).replace(/ ?\[options\]$/, '');
}

function commandRows([name, command]: readonly [string, CommandSpec]): readonly string[] {
  const own = `\`sluice ${`${name} ${shortUsage(command)}`.trimEnd()}\``;
  const subcommands = Object.entries(subcommandsOf(command)).map(([sub, page], index) => {
    const words = `${index === 0 ? `sluice ${name} ` : ''}${sub} ${shortUsage(page)}`;
    return `\`${words.trimEnd()}\``;
  });
  const family = subcommands.join(' · ');
  if (subcommands.length === 0) return [row([own, command.about])];
  if (command.operands === undefined) return [row([family, command.about])];
  return [row([own, command.about]), row([family, command.family ?? command.about])];
}

function optionRows(options: Options): readonly string[] {
  return Object.entries<OptionSpec>(options).map(([name, option]) => {
    const { variable, ...rest } = option;
    const term = `\`${optionTerm(name, option)}\``;
    const environment = variable === undefined ? '' : `, or \`${variable}\` in the environment`;
    return row([term, `${describeOption(rest)}${environment}`]);
  });
}

function optionTable(options: Options): readonly string[] {
  const rows = optionRows(options);
  return rows.length === 0 ? [] : ['', row(['option', 'meaning']), '|---|---|', ...rows];
}

/** A sub-command that shares this many options with its command refers to them instead of repeating them. */
const MANY_SHARED = 10;

/** True when an option does the same in both; one that changes a setting has no default of its own. */
function isSame(option: OptionSpec, other: OptionSpec | undefined): boolean {
  if (option.about !== other?.about) return false;
  return option.standard === 'unchanged' || describeOption(option) === describeOption(other);
}

interface Named {
  readonly name: string;
  readonly page: Page & Partial<CommandSpec>;
}

/** The options of a page. `command`: the one that it is a sub-command of. */
function optionLinesOf({ options = {} }: Page, command: Named | null): readonly string[] {
  const others = command?.page.options ?? {};
  const own = Object.entries(options).filter(([name, option]) => !isSame(option, others[name]));
  if (command === null || Object.keys(options).length - own.length < MANY_SHARED) {
    return optionTable(options);
  }
  const missing = Object.keys(others).filter((name) => !(name in options));
  const except = missing.map((name) => `\`--${name}\``).join(', ');
  const link = `[sluice ${command.name}](#sluice-${command.name})`;
  return [
    ...['', `It takes the options of ${link}, except ${except}.`],
    ...optionTable(Object.fromEntries(own)),
  ];
}

/** The section of a command or a sub-command: its usage, its options, its examples. */
function pageSection(level: string, { name, page }: Named, command: Named | null = null): string {
  return [
    `${level} sluice ${name}`,
    '',
    `\`sluice ${`${name} ${usageOf(page)}`.trimEnd()}\``,
    '',
    [sentence(page.about), page.details ?? ''].join(' ').trimEnd(),
    ...optionLinesOf(page, command),
    ...['', '```sh', ...page.examples, '```', ''],
  ].join('\n');
}

/** docs/commands.md: every command with its options, and the exit codes. */
function commandReference(): string {
  const commands = Object.entries(COMMANDS);
  const sections = commands.flatMap(([name, command]) => [
    pageSection('##', { name, page: command }),
    ...Object.entries(subcommandsOf(command)).map(([sub, page]) =>
      pageSection('###', { name: `${name} ${sub}`, page }, { name, page: command }),
    ),
  ]);
  const codes = Object.entries(EXIT_MEANINGS);
  return [
    '# Commands',
    MADE,
    '',
    'Everything that the command line takes, made from the program itself; `sluice help COMMAND` and `man sluice` show the same.',
    '',
    ...[row(['command', 'does']), '|---|---|', ...commands.flatMap(commandRows), ''],
    ...['## Options of every command', ...optionTable(GLOBAL_OPTIONS), ''],
    ...['## Exit codes', '', row(['code', 'meaning']), '|---|---|'],
    ...[...codes.map(([code, meaning]) => row([code, meaning])), ''],
    ...sections,
  ].join('\n');
}

const NEXT_WORDS: Readonly<Record<NextStep, string>> = {
  retry: 'tries again by itself, after growing pauses',
  unknown: 'asks the service what arrived before it sends anything again',
  wait: 'waits until the cause is gone, then continues by itself',
  skip: 'skips the file, and says why',
  park: 'keeps it under `sluice problems` and Problems until you decide',
  stop: 'stops; everything is kept',
};

function nextWords(code: ErrorCode): string {
  const { next } = sluiceError(code);
  return next === 'park' && FILE_TRIED_AGAIN.includes(code)
    ? `${NEXT_WORDS.park}, but tries files again once an hour`
    : NEXT_WORDS[next];
}

/** docs/errors.md: every error with its texts, what Sluice does about it and what a person can do. */
function errorReference(): string {
  const rows = ERROR_CODES.map((code) => {
    const { message, hint } = wordsOf(code);
    return row([`\`${code}\``, message, nextWords(code), hint]);
  });
  return [
    '# Errors',
    MADE,
    '',
    'Every error that Sluice can report, made from the program itself. The code is in `--json`, in the log, and in `sluice why` and',
    '`sluice problems`. Your own files are never changed by any of them.',
    '',
    ...[
      row(['code', 'you read', 'what Sluice does', 'what you can do']),
      '|---|---|---|---|',
      ...rows,
      '',
    ],
  ].join('\n');
}

/** The output of `npm run docs`: texts by path. */
export function documents(): Readonly<Record<string, string>> {
  return { 'docs/commands.md': commandReference(), 'docs/errors.md': errorReference() };
}

/** Escapes a text for roff. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^([.'])/gm, '\\&$1');
}

function optionLines(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, option]) => [
    '.TP',
    `.B ${roff(optionTerm(name, option))}`,
    roff(sentence(describeOption(option))),
  ]);
}

function pageLines(name: string, page: Page & Partial<CommandSpec>): readonly string[] {
  return [
    `.SS ${roff(`sluice ${`${name} ${usageOf(page)}`.trimEnd()}`)}`,
    roff([sentence(page.about), page.details ?? ''].join(' ').trimEnd()),
    ...optionLines(page.options ?? {}),
    '.PP',
    'Example:',
    '.nf',
    ...page.examples.map((example) => `    ${roff(example)}`),
    '.fi',
  ];
}

/** The man page sluice(1). */
export function manPage(version: string): string {
  const lines = [
    `.TH SLUICE 1 "" "sluice ${version}"`,
    '.SH NAME',
    'sluice \\- upload images and videos exactly once, and bring the results back',
    '.SH SYNOPSIS',
    '.B sluice',
    'COMMAND [options]',
    '.SH DESCRIPTION',
    roff(ABOUT),
    '.SH COMMANDS',
    ...Object.entries(COMMANDS).flatMap(([name, command]) => [
      ...pageLines(name, command),
      ...Object.entries(subcommandsOf(command)).flatMap(([sub, page]) =>
        pageLines(`${name} ${sub}`, page),
      ),
    ]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...optionLines(GLOBAL_OPTIONS),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => [
      '.TP',
      `.B ${code}`,
      roff(sentence(meaning)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes the man page into out/cli. */
export async function writeManPage(root: string): Promise<void> {
  await writeFile(join(root, 'out', 'cli', 'sluice.1'), manPage(PROJECT.version));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  for (const [path, text] of Object.entries(documents())) await writeFile(join(root, path), text);
}
