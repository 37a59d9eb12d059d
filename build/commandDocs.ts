/** Documents made from the table of commands: README's tables and the man page. `npm run docs` writes them into README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ABOUT, describeOption, optionTerm, sentence, usageOf } from '../main/cli/help.ts';
import { GLOBAL_OPTIONS } from '../main/cli/table/globals.ts';
import { COMMANDS, subcommandsOf } from '../main/cli/table/pages.ts';
import type { CommandSpec, Options, OptionSpec, Page } from '../main/cli/table/types.ts';
import { EXIT_MEANINGS } from '../main/cli/terminal/exitCode.ts';

const BEGIN = '<!-- made by npm run docs from main/cli/table -->';
const END = '<!-- end of what npm run docs makes -->';

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

/** The tables of commands, of their common options, and of exit codes, as README shows them. */
export function readmeTables(): string {
  const options = Object.entries<OptionSpec>(GLOBAL_OPTIONS);
  const codes = Object.entries(EXIT_MEANINGS);
  return [
    BEGIN,
    row(['command', 'does']),
    '|---|---|',
    ...Object.entries(COMMANDS).flatMap(commandRows),
    '',
    '`sluice help COMMAND`, or `--help` behind any command, explains every option with its default.',
    '',
    row(['option of every command', 'environment', 'meaning']),
    '|---|---|---|',
    ...options.map(([name, option]) => {
      const { variable, ...rest } = option;
      const environment = variable === undefined ? '' : `\`${variable}\``;
      return row([`\`${optionTerm(name, option)}\``, environment, describeOption(rest)]);
    }),
    '',
    row(['exit code', 'meaning']),
    '|---|---|',
    ...codes.map(([code, meaning]) => row([code, meaning])),
    END,
  ].join('\n');
}

/** README with the tables in their place. Throws when it has no place for them. */
export function withTables(readme: string): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${BEGIN}`);
  return `${before}${readmeTables()}${after}`;
}

/** A text as roff takes it. */
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
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version } = Object(manifest);
  await writeFile(join(root, 'out', 'cli', 'sluice.1'), manPage(String(version)));
}

if (import.meta.main) {
  const readme = join(import.meta.dirname, '..', 'README.md');
  await writeFile(readme, withTables(await readFile(readme, 'utf8')));
}
