/** What a command gets in a test: its words as arguments, and neither network nor files. */
import type { CommandContext } from '../../../main/cli/session/context.ts';
import type { Options } from '../../../main/cli/options/types.ts';
import { readArguments } from '../../../main/cli/terminal/args.ts';
import { createOutput } from '../../../main/cli/terminal/output.ts';
import { systemClock } from '../../../main/systemClock.ts';

/** The context of a command with these words; `write` gets whatever it prints. */
export function contextOf(
  words: readonly string[],
  options: Options,
  write: (text: string) => void = () => undefined,
  json = false,
): CommandContext {
  const args = readArguments(words, options);
  if (!args.ok) throw new Error('the words are not understood');
  const sink = { write, isTTY: false, columns: () => 80 };
  return {
    args: args.value,
    output: createOutput({ json, quiet: false, verbose: false }, sink, sink, () => 0),
    environment: {},
    dataDirectory: '/nowhere',
    signal: new AbortController().signal,
    clock: systemClock,
    prepareFiles: () => Promise.resolve(),
    ports: () => {
      throw new Error('the command asked for ports');
    },
  };
}
