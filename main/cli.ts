/** The command line: reads what was asked, puts the engine's ports together, and answers with the contract's exit codes. */
import process from 'node:process';
import { GLOBAL_OPTIONS, readArguments, splitCommand } from './cli/args.ts';
import { COMMANDS, helpText } from './cli/commands.ts';
import type { Command, CommandContext } from './cli/context.ts';
import { EXIT, exitCodeOf } from './cli/exitCode.ts';
import { createOutput, type Output, type Sink } from './cli/output.ts';
import { defaultDataDirectory } from './engine/core/dataDirectory.ts';
import { errorOf, sluiceError } from './engine/core/errors.ts';
import type { Ports } from './engine/core/ports.ts';
import { openLogFile, type LogFile } from './logFile.ts';
import { createNodePorts } from './nodePorts.ts';
import { resolve } from 'node:path';

/** The worker beside this file: source when run from a checkout, bundled when built. */
const WORKER_URL = import.meta.url.endsWith('.ts')
  ? new URL('./engine/files/pool/fileWorker.ts', import.meta.url)
  : new URL('./fileWorker.js', import.meta.url);

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // A reader that went away (`sluice … | head`) must not end the upload.
  stream.on('error', () => undefined);
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY,
    columns: () => stream.columns || 80,
  };
}

/** How long stopping may take, and how long something may hold the process once its work has ended, ms. */
const STOP_PATIENCE_MS = 30_000;
const EXIT_PATIENCE_MS = 3_000;

/**
 * Ends the process after a while although the system still holds something of it, such as a read from a drive that hangs.
 * What was written to a slow reader goes out first. Does not keep a process that could end.
 */
function endAfter(ms: number, code: number): void {
  const end = (): void => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) endAfter(ms, code);
    else process.exit(code);
  };
  setTimeout(end, ms).unref();
}

/** Aborts on the first Ctrl-C or request to end; a second one ends at once, which loses nothing either. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    endAfter(STOP_PATIENCE_MS, EXIT.interrupted);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  return controller.signal;
}

interface Opened {
  readonly ports: () => Ports;
  close(): Promise<void>;
}

function lazyPorts(dataDirectory: string, verbose: boolean, output: Output): Opened {
  let ports: Ports | null = null;
  let log: LogFile | null = null;
  return {
    ports: () => {
      log ??= openLogFile(dataDirectory, verbose ? 'debug' : 'info', verbose ? output.say : null);
      ports ??= createNodePorts(WORKER_URL, log, process.env);
      return ports;
    },
    close: async () => {
      await ports?.files.close();
      await ports?.http.close();
      log?.flush();
    },
  };
}

async function main(given: readonly string[]): Promise<number> {
  const { name, rest } = splitCommand(given);
  const stdout = sinkOf(process.stdout);
  const stderr = sinkOf(process.stderr);
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
    named === null ? defaultDataDirectory(process.platform, process.env) : resolve(named);
  const opened = lazyPorts(dataDirectory, options.verbose, output);
  const code = await runCommand(command, {
    args: args.value,
    output,
    environment: process.env,
    dataDirectory,
    signal: interruption(),
    ports: opened.ports,
  });
  endAfter(EXIT_PATIENCE_MS, code);
  await opened.close();
  return code;
}

/** Runs a command and shows what went wrong; answers the exit code. */
async function runCommand(command: Command, context: CommandContext): Promise<number> {
  const { output, signal } = context;
  try {
    const result = await command.run(context);
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

process.exitCode = await main(process.argv.slice(2));
