/** The table of commands, and the help that is generated from it. */
import { describe, expect, test } from 'vitest';
import { describeOption, helpText, optionTerm } from '../../../main/cli/help.ts';
import { GLOBAL_OPTIONS } from '../../../main/cli/options/globals.ts';
import { COMMANDS, optionsOf } from '../../../main/cli/options/pages.ts';
import type { Page } from '../../../main/cli/options/types.ts';
import { readArguments, splitCommand } from '../../../main/cli/terminal/args.ts';
import { EVERY_COMMAND } from './commandLineTable.ts';

/** Every help page with the arguments that lead to it. */
const PAGES: readonly (readonly [words: string, page: Page])[] = Object.entries(COMMANDS).flatMap(
  ([name, command]) => [
    [name, command] as const,
    ...Object.entries(command.subcommands ?? {}).map(
      ([sub, page]) => [`${name} ${sub}`, page] as const,
    ),
  ],
);

function help(words: string, columns = 80): string {
  const text = helpText(
    words.split(' ').filter((word) => word !== ''),
    columns,
  );
  if (!text.ok) throw new Error(String(text.error.context['said']));
  return text.value;
}

test('the table has every option of the contract, and no other kind of it', () => {
  const kinds = (name: string): unknown =>
    Object.fromEntries(
      Object.entries(name === '' ? GLOBAL_OPTIONS : optionsOf(COMMANDS[name] ?? NONE)).flatMap(
        ([option, spec]) =>
          option === 'help' || option === 'version'
            ? []
            : [[option, 'many' in spec ? 'texts' : 'value' in spec ? 'text' : 'flag']],
      ),
    );
  for (const [name, options] of Object.entries(EVERY_COMMAND)) {
    expect(kinds(name), name).toEqual(options);
  }
  expect(Object.keys(EVERY_COMMAND).sort()).toEqual(['', ...Object.keys(COMMANDS)].sort());
});

const NONE = { group: '', about: '', examples: [''] } as const;

test('an option that is required only without another one says so', () => {
  const text = help('job start').replace(/\s+/g, ' ');
  expect(text).toContain('workflow that processes the batch (required, except with --definition)');
});

describe.each(PAGES)('the page of %s', (words, page) => {
  test('explains every option with its default, and shows an example', () => {
    // Ignore where lines are wrapped.
    const text = help(words, 80).replace(/\s+/g, ' ');
    for (const [name, option] of Object.entries({ ...page.options, ...GLOBAL_OPTIONS })) {
      const words = `${optionTerm(name, option)} ${describeOption(option)}`;
      expect(text).toContain(words.replace(/\s+/g, ' '));
    }
    expect(text).toContain(page.examples[0].replace(/\s+/g, ' '));
  });

  test('says its sentences in one way', () => {
    const texts = [page, ...Object.values(page.options ?? {})].map(({ about }) => about);
    for (const text of texts) expect(text).toMatch(/^[^A-Z].*[^.\s]$/);
    expect(page.details ?? '.').toMatch(/\.$/);
  });

  test('shows examples that work', () => {
    for (const example of page.examples) {
      const line = /\$\((.*)\)/.exec(example)?.[1] ?? example;
      const given = (line.split(' > ')[0] ?? '').match(/"[^"]*"|\S+/g)?.slice(1) ?? [];
      const { name, rest } = splitCommand(given);
      const args = readArguments(rest, optionsOf(COMMANDS[name ?? ''] ?? NONE));
      expect(args, example).toMatchObject({ ok: true });
      expect(example.split(' ').slice(1).join(' ')).toContain(words.split(' ')[0] ?? '');
    }
  });

  test.each([80, 60, 40])('fits into %i columns', (columns) => {
    const [, ...lines] = help(words, columns).split('\n');
    const long = lines.filter(
      (line) => line.length > columns && !/^(?: {2})?(sluice|eval) /.test(line),
    );
    expect(long).toEqual([]);
  });
});

test('the first page names every command and exit code', () => {
  const text = help('');
  for (const name of Object.keys(COMMANDS))
    expect(text).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  for (const code of [0, 1, 2, 3, 4, 5, 6, 130])
    expect(text).toMatch(new RegExp(`^ {2}${code} `, 'm'));
});

test.each(['uplod', 'batch fils', 'constructor', 'batch __proto__'])('%s has no page', (words) => {
  expect(() => help(words)).toThrow(/unknown command/);
});
