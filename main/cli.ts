/** The command line as a process: its streams, its signals, the engine's ports and its exit code. */
import { once } from 'node:events';
import process from 'node:process';
import { isatty } from 'node:tty';
import { visible } from '../preload/contract/visibleText.ts';
import { runCommand } from './cli/commands.ts';
import { runProgram } from './cli/program.ts';
import { endsWithTerminal } from './cli/terminal/endsWithTerminal.ts';
import { EXIT } from './cli/terminal/exitCode.ts';
import { endFinished, endNow } from './cli/terminal/endNow.ts';
import type { Sink } from './cli/terminal/output.ts';
import { errnoOf, isReaderGone } from './engine/core/errno.ts';
import { startPulse } from './engine/files/pool/pulse.ts';
import type { Pool } from './engine/files/pool/threadPool.ts';
import type { LogWanted, OpenPorts } from './openPorts.ts';
import { systemClock } from './systemClock.ts';

// Read when Node first needs these threads. A call to a drive that does not answer holds one of them: with Node's four, a few such calls stop all.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

/** The worker next to this file: source when run from a checkout, bundled when built. */
const WORKER_URL = import.meta.url.endsWith('.ts')
  ? new URL('./engine/files/pool/fileWorker.ts', import.meta.url)
  : new URL('./fileWorker.js', import.meta.url);

/** The terminal shows escape sequences as they are, as those inside editors do. */
const IS_DUMB = process.env['TERM'] === 'dumb';

/** Removes the progress line, which is drawn in place, before other text. */
const WIPE = process.stderr.isTTY && !IS_DUMB ? '\r\u001b[K' : '';

let hasLostOutput = false;

function codeAtEnd(code: number): number {
  return hasLostOutput && code === EXIT.done ? EXIT.attention : code;
}

/**
 * Handles output that could not be written, for example to a full disk: says so once and lets the command finish its work. A command
 * that would end with 0 then ends with 3, so that a script does not take half a receipt for a whole one.
 */
function loseOutput(error: Error): void {
  if (hasLostOutput) return;
  hasLostOutput = true;
  process.once('exit', (code) => {
    process.exitCode = codeAtEnd(Number(code));
  });
  process.stderr.write(
    `${WIPE}The output could not be written (${errnoOf(error) ?? error.name}) and is incomplete. The command finishes its work; what it does is not affected. Make the output writable, then run the command again.\n`,
  );
}

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // A reader that closes early (`sluice … | head`) must not end the upload.
  stream.on('error', (error) => {
    if (!isReaderGone(error)) loseOutput(error);
  });
  return {
    write: (text) => void stream.write(text),
    drained: async () => {
      if (stream.writableNeedDrain) await once(stream, 'drain').catch(() => undefined);
    },
    isTTY: stream.isTTY,
    isDumb: IS_DUMB,
    columns: () => stream.columns || 80,
  };
}

function isWritten(): boolean {
  return process.stdout.writableLength + process.stderr.writableLength === 0;
}

/** How long stopping may take, and how long anything may keep the process alive after its work has ended, in ms. */
const STOP_PATIENCE_MS = 30_000;
const EXIT_PATIENCE_MS = 3_000;

/**
 * Ends the process after a while even if the system still holds something of it, such as a read from a drive that hangs. Output for a
 * slow reader is flushed first. Does not keep alive a process that could end.
 */
function endAfter(ms: number, code: number): void {
  const end = (): void => {
    if (isWritten()) endNow(codeAtEnd(code));
    else endAfter(ms, code);
  };
  setTimeout(end, ms).unref();
}

/** What Ctrl-C or a termination request does: until there is work to stop, it ends the process. */
let stop = (): void => endNow(EXIT.interrupted);

function listenToSignals(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop());
  const hasTerminal = endsWithTerminal(process.platform, isatty);
  process.on('SIGHUP', () => {
    if (hasTerminal) stop();
  });
  // Node would open its debugger, in which every user of this computer could read the key.
  process.on('SIGUSR1', () => undefined);
}

/** Aborts at the next request to stop; a second one ends the process at once, which loses nothing either. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  stop = () => {
    if (controller.signal.aborted) endNow(EXIT.interrupted);
    controller.abort();
    endAfter(STOP_PATIENCE_MS, EXIT.interrupted);
  };
  return controller.signal;
}

let poolMade: Promise<Pool> | null = null;

/** What a thread says when the main thread is held. */
function heldText(dataDirectory: string): string {
  return `${WIPE}Sluice has been waiting for half a minute: the drive of its data folder is very slow, or does not answer (${visible(dataDirectory)}). Nothing is lost; it continues by itself.\n`;
}

/** The threads of this process. Little else is loaded before they can start. */
function poolOnce(dataDirectory: string): Promise<Pool> {
  poolMade ??= import('./engine/files/pool/threadPool.ts').then(({ createPool }) =>
    createPool({ workerUrl: WORKER_URL, pulse: startPulse(heldText(dataDirectory)) }),
  );
  return poolMade;
}

/** Loads the code of the ports, which takes longer than printing help, and creates them. */
async function openOnce(log: LogWanted): Promise<OpenPorts> {
  const pool = await poolOnce(log.directory);
  const { openPorts } = await import('./openPorts.ts');
  return openPorts(pool, log);
}

async function main(given: readonly string[]): Promise<number> {
  const used: { opened: Promise<OpenPorts> | null } = { opened: null };
  const code = await runProgram(given, {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    environment: process.env,
    clock: systemClock,
    open: (dataDirectory, verbose, output) => {
      const log = { directory: dataDirectory, verbose, say: output.say };
      return {
        signal: interruption(),
        // A failure shows up when the ports are needed.
        prepareFiles: () =>
          poolOnce(dataDirectory).then(
            (pool) => pool.prepare('sending'),
            () => undefined,
          ),
        ports: async () => {
          used.opened ??= openOnce(log);
          return (await used.opened).ports;
        },
      };
    },
    dispatch: runCommand,
  });
  endAfter(EXIT_PATIENCE_MS, code);
  // What could not be loaded ended the command already.
  await (await used.opened?.catch(() => null))?.close();
  // An interrupted command may have started a thread without opening the ports.
  await (await poolMade?.catch(() => null))?.close();
  return code;
}

/**
 * Everything is closed. Ends the process without taking its memory apart, which takes 5 ms, once its output has left; only after this turn
 * is it known whether it could be written.
 */
function endSoon(code: number): void {
  setImmediate(() => {
    if (isWritten()) endFinished(codeAtEnd(code));
  });
}

listenToSignals();
const code = await main(process.argv.slice(2));
process.exitCode = code;
endSoon(code);
