/** Help pages, made from the table of commands and laid out by commander. Pure. */
import { Help } from 'commander';
import type { Result } from '../../preload/contract/errors.ts';
import { ok } from '../engine/core/errors.ts';
import { unknownCommand, unknownName } from './names.ts';
import { GLOBAL_OPTIONS } from './options/globals.ts';
import { COMMANDS, subcommandsOf } from './options/pages.ts';
import type { CommandSpec, Options, OptionSpec, Page } from './options/types.ts';
import { usage } from './terminal/args.ts';
import { EXIT_MEANINGS } from './terminal/exitCode.ts';

export const ABOUT = 'Sluice uploads images and videos exactly once and brings the results back.';

/** Help is easier to read at this line length, even on a wider terminal. */
const MAX_COLUMNS = 100;

/** With less room than this next to the terms, each meaning is below its term: commander would not break its lines. */
const LEAST_BESIDE = 40;

interface Section {
  readonly heading: string;
  readonly items: readonly (readonly [term: string, meaning: string])[];
}

/** What an option does, with its default. */
export function describeOption(option: OptionSpec): string {
  const { about, standard, required, unless, value, short, variable } = option;
  if (required === true)
    return `${about} (required${unless === undefined ? '' : `, except with --${unless}`})`;
  // --help and --version have no default worth mentioning.
  if (short !== undefined) return about;
  const fallback = standard ?? (value === undefined ? 'off' : 'none');
  return `${about} (default: ${variable === undefined ? '' : `$${variable}, else `}${fallback})`;
}

/** How an option is written: `--batch ID`, `-h, --help`. */
export function optionTerm(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** What follows the name of a command: operands, required options, and whether there are more; COMMAND before a sub-command. */
export function usageOf(page: Page & Partial<CommandSpec>): string {
  if (page.subcommands !== undefined && page.operands === undefined) return 'COMMAND';
  const options = Object.entries(page.options ?? {});
  const required = options.filter(([, option]) => option.required === true);
  const parts = required.map(([name, option]) => optionTerm(name, option));
  const more = options.length > required.length ? ['[options]'] : [];
  return [page.operands, ...parts, ...more].filter((part) => part !== undefined).join(' ');
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function optionSection(heading: string, options: Options): Section {
  const items = Object.entries(options).map(
    ([name, option]) => [optionTerm(name, option), describeOption(option)] as const,
  );
  return { heading, items };
}

function commandSection(heading: string, pages: readonly (readonly [string, Page])[]): Section {
  const items = pages.map(([name, page]) => {
    const operands = usageOf({ ...page, options: {} }).replace('COMMAND', '…');
    return [`${name} ${operands}`.trimEnd(), page.about] as const;
  });
  return { heading, items };
}

function layOut(
  head: string,
  paragraphs: readonly string[],
  sections: readonly Section[],
  columns: number,
): string {
  const help = new Help();
  const helpWidth = Math.min(columns, MAX_COLUMNS);
  help.prepareContext({ helpWidth });
  help.minWidthToWrap = 20;
  const terms = sections.flatMap(({ items }) => items.map(([term]) => help.displayWidth(term)));
  const width = Math.max(...terms);
  const isNarrow = helpWidth - width - 4 < LEAST_BESIDE;
  const itemOf = (term: string, meaning: string): string =>
    isNarrow
      ? `  ${term}\n${help.boxWrap(meaning, helpWidth - 6).replace(/^/gm, ' '.repeat(6))}`
      : help.formatItem(term, width, meaning, help);
  return [
    `Usage: sluice ${head}\n`,
    ...paragraphs.map((text) => `${help.boxWrap(text, helpWidth)}\n`),
    ...sections.map(({ heading, items }) => {
      const lines = items.map(([term, meaning]) => itemOf(term, meaning));
      return items.length === 0 ? '' : `${[`${heading}:`, ...lines].join('\n')}\n`;
    }),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function exampleText(examples: readonly string[]): string {
  const lines = examples.map((example) => `  ${example}\n`).join('');
  return `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines}`;
}

const EVERYWHERE = optionSection('Options of every command', GLOBAL_OPTIONS);

function pageHelp(name: string, page: Page & Partial<CommandSpec>, columns: number): string {
  const subcommands = Object.entries(page.subcommands ?? {});
  const paragraphs = [sentence(page.about), page.details].filter((text) => text !== undefined);
  const sections = [
    commandSection('Commands', subcommands),
    optionSection('Options', page.options ?? {}),
    EVERYWHERE,
  ];
  const head = `${name} ${usageOf(page)}`.trimEnd();
  const more = `\nsluice help ${name} COMMAND explains one of these commands.\n`;
  return `${layOut(head, paragraphs, sections, columns)}${exampleText(page.examples)}${subcommands.length === 0 ? '' : more}`;
}

function programHelp(columns: number): string {
  const groups = Map.groupBy(Object.entries(COMMANDS), ([, { group }]) => group);
  const sections = [
    ...[...groups].map(([group, commands]) => commandSection(group, commands)),
    EVERYWHERE,
    { heading: 'Exit codes', items: Object.entries(EXIT_MEANINGS) },
  ];
  const page = layOut('COMMAND [options]', [ABOUT], sections, columns);
  const examples = ['sluice doctor', 'sluice help run', 'sluice help watch add'];
  return `${page}${exampleText(examples)}\nsluice help COMMAND explains a command with its options.\n`;
}

/** The help for these words, such as `batch files`; without words, for the whole program. Error: usage.invalid for an unknown command. */
export function helpText(words: readonly string[], columns: number): Result<string> {
  const [name, sub] = words;
  if (name === undefined || name === 'help') return ok(programHelp(columns));
  const command = COMMANDS[name];
  if (command === undefined) return usage(unknownCommand(name));
  const pages = subcommandsOf(command);
  if (sub === undefined || command.subcommands === undefined) {
    return ok(pageHelp(name, command, columns));
  }
  const page = pages[sub];
  if (page === undefined) return usage(unknownName(sub, Object.keys(pages)));
  return ok(pageHelp(`${name} ${sub}`, page, columns));
}
