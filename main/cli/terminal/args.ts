/** Reads the command line with commander: options of the command and global ones, in any order. */
import { Command, CommanderError, Option } from 'commander';
import type { Result } from '../../../preload/contract/errors.ts';
import { ok, usage } from '../../engine/core/errors.ts';
import { GLOBAL_OPTIONS } from '../options/globals.ts';
import type { Options, OptionSpec } from '../options/types.ts';

export interface Arguments {
  readonly words: readonly string[];
  /** The value of an option; null when it is not given or empty. */
  text(name: string): string | null;
  /** The value of an option that the command requires: without one, the command does not run. */
  needed(name: string): string;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

export { usage };

function optionOf(name: string, spec: OptionSpec): Option {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  const value = spec.value === undefined ? '' : ` <${spec.value}>`;
  const option = new Option(`${short}--${name}${value}`, spec.about);
  // `--no-links` does not negate an option: `--links` is an error, which commander would accept.
  option.negate = false;
  // Commander's own handling of many values would also take the words that follow.
  if (spec.many === true) {
    option.argParser((one, before: readonly string[] | undefined) => [...(before ?? []), one]);
  }
  return option;
}

/** A commander command that throws its errors and prints nothing. */
export function quietCommand(): Command {
  const silent = (): void => undefined;
  return new Command()
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: silent, writeErr: silent, outputError: silent });
}

/** An error that commander found, as one sentence with its suggestion. Rethrows everything else. */
export function mistakeOf(error: unknown): string {
  if (!(error instanceof CommanderError)) throw error;
  return error.message
    .replace(/^error: /, '')
    .replace(/^option '(?:-\w, )?(--[\w-]+) <(.*)>' argument missing$/s, '$1 needs $2')
    .replace(/\n\((.*)\)$/s, '. $1');
}

/** What commander accepts and this program does not: an option as a value, and a negative number as a word. */
function mistakeBeforeParsing(given: readonly string[], options: Options): string | null {
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (word === '--') return null;
    if (/^-[\d.]/.test(word)) return `unknown option '${word}'`;
    if (!word.startsWith('--') || options[word.slice(2)]?.value === undefined) continue;
    at += 1;
    const value = given[at] ?? '';
    if (value.startsWith('-') && value !== '-') {
      return `option '${word}' needs a value; one that begins with a dash is written ${word}=VALUE`;
    }
  }
  return null;
}

/** Reads the arguments after a command's name. Error: usage.invalid, with a suggestion for a misspelled option. */
export function readArguments(given: readonly string[], own: Options): Result<Arguments> {
  const options: Options = Object.assign(Object.create(null), GLOBAL_OPTIONS, own);
  const mistake = mistakeBeforeParsing(given, options);
  if (mistake !== null) return usage(mistake);
  const parser = quietCommand().argument('[words...]');
  const keys = new Map<string, string>();
  for (const [name, spec] of Object.entries(options)) {
    const option = optionOf(name, spec);
    keys.set(name, option.attributeName());
    parser.addOption(option);
  }
  try {
    parser.parse([...given], { from: 'user' });
  } catch (error) {
    return usage(mistakeOf(error));
  }
  // An empty path would mean the working directory, with everything in it.
  if (parser.args.includes(''))
    return usage('an argument is empty; if it is a variable, the variable has no value');
  const valueOf = (name: string): unknown => parser.getOptionValue(keys.get(name) ?? '');
  const text = (name: string): string | null => {
    const value = valueOf(name);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return ok({
    words: parser.args,
    text,
    needed: (name) => text(name) ?? '',
    texts: (name) => {
      const value = valueOf(name);
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    },
    flag: (name) => valueOf(name) === true,
  });
}

/** Whether this option was given, whatever its kind. */
export function isGiven(args: Arguments, name: string): boolean {
  return args.flag(name) || args.text(name) !== null || args.texts(name).length > 0;
}

/** The position of the command's name, if there is one: global options may come before it. */
function placeOfName(given: readonly string[]): number {
  const options: Options = Object.assign(Object.create(null), GLOBAL_OPTIONS);
  const shorts = Object.values(options).map(({ short }) => `-${short ?? ''}`);
  let at = 0;
  for (let word = given[0]; word !== undefined; word = given[at]) {
    const [name = '', value] = word.slice(2).split('=', 2);
    const spec = word.startsWith('--') ? options[name] : undefined;
    if (spec === undefined && (!shorts.includes(word) || word === '-')) return at;
    at += spec?.value !== undefined && value === undefined ? 2 : 1;
  }
  return given.length;
}

/** The name of the command, and everything else. Null when only global options were given. */
export function splitCommand(given: readonly string[]) {
  const at = placeOfName(given);
  return { name: given[at] ?? null, rest: [...given.slice(0, at), ...given.slice(at + 1)] };
}

/** Reads the value of an option, or a word; `name` is what the error calls it. */
export type Reader<T> = (given: string, name: string) => Result<T>;

/** The value of an option; `otherwise` when it is not given. Errors: those of `read`. */
export function readOption<T, Otherwise>(
  { text }: Arguments,
  name: string,
  read: Reader<T>,
  otherwise: Otherwise,
): Result<T | Otherwise> {
  const given = text(name);
  return given === null ? ok(otherwise) : read(given, `--${name}`);
}

/** Reads a whole number between these. Error: usage.invalid. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Reader<number> {
  const limit = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
  return (text, name) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return ok(value);
    return usage(`${name} needs a whole number of at least ${least}${limit}, in digits`);
  };
}

/** Reads a whole number from 1 on. Error: usage.invalid. */
export const positiveNumber = wholeNumber(1);

/** Words as a list: "a, b or c". */
export function listOf(words: readonly string[], joined: 'or' | 'and' = 'or'): string {
  const [last = '', ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.reverse().join(', ')} ${joined} ${last}`;
}

/** Reads one of a few words. Error: usage.invalid. */
export function choiceOf<T extends string>(choices: readonly T[]): Reader<T> {
  return (text, name) => {
    const choice = choices.find((one) => one === text);
    return choice === undefined ? usage(`${name} is ${listOf(choices)}`) : ok(choice);
  };
}
