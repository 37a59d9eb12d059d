/** One run of the program: turns arguments into a command, its help, or an error message. Returns the contract's exit code. */
import { resolve } from 'node:path';
import type { Result, SluiceError } from '../../preload/contract/errors.ts';
import { defaultDataDirectory } from '../engine/core/dataDirectory.ts';
import { errorOf, ok, sluiceError } from '../engine/core/errors.ts';
import type { Clock, Environment } from '../engine/core/ports.ts';
import { helpText } from './help.ts';
import { unknownCommand } from './names.ts';
import type { CommandContext } from './session/context.ts';
import { askDataFolder } from './session/dataFolder.ts';
import { GLOBAL_OPTIONS } from './options/globals.ts';
import type { CommandSpec } from './options/types.ts';
import { COMMANDS, optionsOf, subcommandsOf } from './options/pages.ts';
import { readArguments, splitCommand } from './terminal/args.ts';
import { EXIT, exitCodeOf } from './terminal/exitCode.ts';
import { createOutput, type Output, type Sink } from './terminal/output.ts';
import { readVersion } from './version.ts';

/** What a run of the program gets from its process; tests provide their own. */
export interface ProgramDeps {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Called once the arguments are understood; `ports` are loaded and created on first use. */
  readonly open: (
    dataDirectory: string,
    verbose: boolean,
    output: Output,
  ) => Pick<CommandContext, 'ports' | 'prepareFiles' | 'signal'>;
  /** Runs the command of this name: runCommand, except in tests. */
  readonly dispatch: (name: string, context: CommandContext) => Promise<Result<number>>;
}

/** The streams of a run before its options are known. */
interface Early {
  readonly output: Output;
  readonly wantsJson: boolean;
  /** With --json, only events go to standard output. */
  readonly help: Sink;
}

function refuse({ output }: Early, error: SluiceError, command = ''): number {
  output.error(error, command);
  return EXIT.usage;
}

function refuseUsage(early: Early, message: string): number {
  return refuse(early, sluiceError('usage.invalid', { said: message }));
}

function showHelp(early: Early, words: readonly string[]): number {
  const text = helpText(words, early.help.columns());
  if (!text.ok) return refuse(early, text.error);
  early.help.write(text.value);
  return EXIT.done;
}

function showVersion({ output }: Early): number {
  const version = readVersion();
  output.result({ version }, [version]);
  return EXIT.done;
}

/** Whether an option without a value is given, before the options are parsed. */
function isGiven(given: readonly string[], name: 'help' | 'version'): boolean {
  return given.includes(`--${name}`) || given.includes(`-${GLOBAL_OPTIONS[name].short}`);
}

/** What the program does without a command: shows help or version, or refuses. */
function runWithoutCommand(early: Early, given: readonly string[]): number {
  if (isGiven(given, 'help')) return showHelp(early, []);
  if (isGiven(given, 'version')) return showVersion(early);
  if (early.wantsJson) return refuseUsage(early, 'name a command');
  showHelp(early, []);
  return EXIT.usage;
}

/** The words of the command, such as `batch files`, without its operands. */
function commandWords(name: string, command: CommandSpec, [sub = '']: readonly string[]) {
  return subcommandsOf(command)[sub] === undefined ? [name] : [name, sub];
}

/** Runs the program with these arguments. Writes to the two streams; never throws. */
export async function runProgram(given: readonly string[], deps: ProgramDeps): Promise<number> {
  const { stdout, stderr, environment, clock } = deps;
  const { name, rest } = splitCommand(given);
  const wantsJson = given.includes('--json');
  const plain = { json: wantsJson, quiet: false, verbose: false };
  const early: Early = {
    output: createOutput(plain, stdout, stderr, () => clock.now()),
    wantsJson,
    help: wantsJson ? stderr : stdout,
  };
  if (name === null) return runWithoutCommand(early, rest);
  if (name === 'help') {
    return isGiven(rest, 'version')
      ? showVersion(early)
      : showHelp(
          early,
          rest.filter((word) => !word.startsWith('-')),
        );
  }
  const command = COMMANDS[name];
  if (command === undefined) {
    const option = name.startsWith('--') ? readArguments([name], {}) : null;
    return option?.ok === false
      ? refuse(early, option.error)
      : refuseUsage(early, unknownCommand(name));
  }
  const args = readArguments(rest, optionsOf(command));
  if (!args.ok) return refuse(early, args.error, name);
  const words = commandWords(name, command, args.value.words);
  if (args.value.flag('help')) return showHelp(early, words);
  if (args.value.flag('version')) return showVersion(early);
  const options = {
    json: args.value.flag('json'),
    quiet: args.value.flag('quiet'),
    verbose: args.value.flag('verbose'),
  };
  const output = createOutput(options, stdout, stderr, () => clock.now());
  const found = dataDirectoryOf(args.value.text('data-dir'), environment);
  if (!found.ok) return refuse(early, found.error);
  const dataDirectory = found.value;
  const opened = deps.open(dataDirectory, options.verbose, output);
  const context = { args: args.value, output, environment, dataDirectory, clock, ...opened };
  const run = async (): Promise<Result<number>> => {
    const there = await askDataFolder(context);
    return there.ok ? deps.dispatch(name, context) : there;
  };
  return endOf(run, words.join(' '), context);
}

/** Commands whose last event is their summary, whatever happened before (the contract). */
const SUMMED: ReadonlySet<string> = new Set(['upload', 'run', 'watch', 'watch run']);

function dataDirectoryOf(
  named: string | null,
  environment: ProgramDeps['environment'],
): Result<string> {
  if (named !== null) return ok(resolve(named));
  try {
    return ok(defaultDataDirectory(process.platform, environment));
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  }
}

/** Runs a command and shows what went wrong; returns the exit code. */
async function endOf(
  run: () => Promise<Result<number>>,
  command: string,
  { output, signal, clock }: Pick<CommandContext, 'output' | 'signal' | 'clock'>,
): Promise<number> {
  const startedAt = clock.monotonicMs();
  let error: SluiceError;
  let wasStopped = false;
  try {
    const result = await run();
    if (result.ok) return result.value;
    ({ error } = result);
    wasStopped = signal.aborted;
  } catch (thrown) {
    error = errorOf(thrown);
  }
  // It cannot be loaded when no more files can be opened, which the error then says.
  const ending = await import('./run/ending.ts').catch(() => null);
  if (wasStopped) ending?.sayInterrupted(output);
  else output.error(error, command);
  const exitCode = wasStopped ? EXIT.interrupted : exitCodeOf(error);
  if (SUMMED.has(command) && exitCode !== EXIT.usage)
    ending?.summarizeNothing(output, clock.monotonicMs() - startedAt);
  return exitCode;
}
