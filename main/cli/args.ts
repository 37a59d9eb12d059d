/** Reading the command line: options of a command and the global ones, with mistakes said in words. */
import { parseArgs } from 'node:util';
import type { Result } from '../../preload/contract/errors.ts';
import { fail, ok } from '../engine/core/errors.ts';

type OptionKind = 'text' | 'texts' | 'flag';

/** What a command takes beside the global options. */
export type OptionSpec = Readonly<Record<string, OptionKind>>;

/** The options every command takes (the contract's table). */
export const GLOBAL_OPTIONS = {
  'api-url': 'text',
  'projects-url': 'text',
  'api-key-file': 'text',
  workspace: 'text',
  'data-dir': 'text',
  json: 'flag',
  quiet: 'flag',
  verbose: 'flag',
  help: 'flag',
} as const satisfies OptionSpec;

/** What was given. */
export interface Arguments {
  readonly words: readonly string[];
  text(name: string): string | null;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

function problemOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error);
}

/** Reads the arguments behind a command's name. Error: usage.invalid. */
export function readArguments(given: readonly string[], spec: OptionSpec): Result<Arguments> {
  const all: Record<string, OptionKind> = { ...GLOBAL_OPTIONS, ...spec };
  const options = Object.fromEntries(
    Object.entries(all).map(([name, kind]) => [
      name,
      {
        type: kind === 'flag' ? ('boolean' as const) : ('string' as const),
        multiple: kind === 'texts',
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...given],
      options,
      allowPositionals: true,
      strict: true,
    });
    const value = (name: string): unknown => values[name];
    return ok({
      words: positionals,
      text: (name) => {
        const found = value(name);
        return typeof found === 'string' && found !== '' ? found : null;
      },
      texts: (name) => {
        const found = value(name);
        return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
      },
      flag: (name) => value(name) === true,
    });
  } catch (error) {
    return fail('usage.invalid', { said: problemOf(error) });
  }
}

/** The name of the command and everything else: options of every command may stand before it. */
export function splitCommand(given: readonly string[]): {
  readonly name: string | null;
  readonly rest: readonly string[];
} {
  const kinds = new Map<string, OptionKind>(
    Object.entries(GLOBAL_OPTIONS).map(([name, kind]) => [`--${name}`, kind]),
  );
  let at = 0;
  for (let word = given[0]; word !== undefined; word = given[at]) {
    if (!word.startsWith('--') || !kinds.has(word.split('=', 1)[0] ?? '')) {
      return { name: word, rest: [...given.slice(0, at), ...given.slice(at + 1)] };
    }
    at += kinds.get(word) === 'text' ? 2 : 1;
  }
  return { name: null, rest: given };
}

/** A usage error with what was wrong. */
export function usage<T = never>(said: string): Result<T> {
  return fail('usage.invalid', { said });
}

/** A whole number of at least `least`. Error: usage.invalid. */
export function wholeNumber(text: string, name: string, least: number): Result<number> {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
    return usage(`${name} needs a whole number of at least ${least}`);
  }
  return ok(value);
}
