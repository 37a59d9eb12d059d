/** The command line: reads what was asked, puts the engine's ports together, and answers with the contract's exit codes. */
import process from 'node:process';
import { GLOBAL_OPTIONS, readArguments, splitCommand } from './cli/args.ts';
import { COMMANDS, helpText } from './cli/commands.ts';
import { EXIT, exitCodeOf } from './cli/exitCode.ts';
import { createOutput, type Output, type Sink } from './cli/output.ts';
import { defaultDataDirectory } from './engine/dataDirectory.ts';
import { errorOf } from './engine/errorOf.ts';
import { sluiceError } from './engine/errors.ts';
import type { Ports } from './engine/ports.ts';
import { openLogFile, type LogFile } from './logFile.ts';
import { createNodePorts } from './nodePorts.ts';
import { resolve } from 'node:path';

/** The worker beside this file: source when run from a checkout, bundled when built. */
const WORKER_URL = import.meta.url.endsWith('.ts')
  ? new URL('./engine/files/fileWorker.ts', import.meta.url)
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

/** Aborts on the first Ctrl-C or request to end; a second one ends at once, which loses nothing either. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
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
  try {
    const signal = interruption();
    const environment = process.env;
    const { ports } = opened;
    const context = { args: args.value, output, environment, dataDirectory, signal, ports };
    const result = await command.run(context);
    if (result.ok) return result.value;
    if (signal.aborted) return EXIT.interrupted;
    output.error(result.error);
    return exitCodeOf(result.error);
  } catch (thrown) {
    const error = errorOf(thrown);
    output.error(error);
    return exitCodeOf(error);
  } finally {
    await opened.close();
  }
}

process.exitCode = await main(process.argv.slice(2));
