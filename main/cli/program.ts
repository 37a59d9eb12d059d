/** One run of the program: arguments to a command, its help or a mistake. Answers the contract's exit code. */
import { resolve } from 'node:path';
import type { Result } from '../../preload/errorCodes.ts';
import { defaultDataDirectory } from '../engine/dataDirectory.ts';
import { errorOf } from '../engine/errorOf.ts';
import { sluiceError } from '../engine/errors.ts';
import type { Ports } from '../engine/ports.ts';
import { GLOBAL_OPTIONS, readArguments, splitCommand, usage } from './terminal/args.ts';
import { COMMANDS, helpText } from './commands.ts';
import type { CommandContext } from './session/context.ts';
import { EXIT, exitCodeOf } from './terminal/exitCode.ts';
import { createOutput, type Output, type Sink } from './terminal/output.ts';

/** What a run of the program gets from its process; tests give their own. */
export interface ProgramDeps {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once the arguments are understood; `ports` makes them at its first call. */
  readonly open: (
    dataDirectory: string,
    verbose: boolean,
    output: Output,
  ) => { readonly ports: () => Ports; readonly signal: AbortSignal };
  /** Runs the command of this name. */
  readonly dispatch: (name: string, context: CommandContext) => Promise<Result<number>>;
}

/** Runs the program with these arguments. Writes to the two streams, throws nothing. */
export async function runProgram(given: readonly string[], deps: ProgramDeps): Promise<number> {
  const { stdout, stderr, environment } = deps;
  const { name, rest } = splitCommand(given);
  const wantsJson = given.includes('--json');
  const plain = { json: wantsJson, quiet: false, verbose: false };
  const early = createOutput(plain, stdout, stderr, () => Date.now());
  // Nothing but events goes to standard output under --json.
  const help = wantsJson ? stderr : stdout;
  if (name === null && wantsJson && !given.includes('--help')) {
    early.error(sluiceError('usage.invalid', { said: 'name a command' }));
    return EXIT.usage;
  }
  if (name === null || name === 'help' || name === '-h') {
    help.write(helpText(name === 'help' ? (rest[0] ?? null) : null));
    return name === null && !given.includes('--help') ? EXIT.usage : EXIT.done;
  }
  const command = COMMANDS[name];
  if (command === undefined) {
    early.error(sluiceError('usage.invalid', { said: `there is no command ${name}` }));
    return EXIT.usage;
  }
  const args = readArguments(rest, { ...GLOBAL_OPTIONS, ...command.options });
  if (!args.ok) {
    early.error(args.error);
    return EXIT.usage;
  }
  if (args.value.flag('help')) {
    help.write(helpText(name));
    return EXIT.done;
  }
  const options = {
    json: args.value.flag('json'),
    quiet: args.value.flag('quiet'),
    verbose: args.value.flag('verbose'),
  };
  const output = createOutput(options, stdout, stderr, () => Date.now());
  const named = args.value.text('data-dir');
  const dataDirectory =
    named === null ? defaultDataDirectory(process.platform, environment) : resolve(named);
  const { ports, signal } = deps.open(dataDirectory, options.verbose, output);
  const context = { args: args.value, output, environment, dataDirectory, signal, ports };
  return runCommand(name, context, deps.dispatch);
}

/** Runs a command and shows what went wrong; answers the exit code. */
async function runCommand(
  name: string,
  context: CommandContext,
  dispatch: ProgramDeps['dispatch'],
): Promise<number> {
  const { output, signal } = context;
  try {
    const result = await dispatch(name, context);
    if (result.ok) return result.value;
    if (signal.aborted) return EXIT.interrupted;
    output.error(result.error);
    return exitCodeOf(result.error);
  } catch (thrown) {
    const error = errorOf(thrown);
    output.error(error);
    return exitCodeOf(error);
  }
}

/** Runs the command of a name, as the program does. */
export async function runNamed(name: string, context: CommandContext): Promise<Result<number>> {
  const command = COMMANDS[name];
  return command === undefined ? usage(`there is no command ${name}`) : command.run(context);
}
