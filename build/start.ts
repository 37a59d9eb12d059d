/**
 * `npm start`: builds and opens the window, in Electron, or where its binary cannot be had (or with --host) in the Chromium host.
 * SLUICE_RUNTIME=electron|host decides which, too; --user-data-dir and --remote-debugging-port mean the same in both.
 * `npm run dev` (--dev) builds again what changes and opens the window anew. Other arguments go to the application.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { electronBinary } from './electronBinary.ts';
import { ensureChromium } from './findChromium.ts';
import { ROOT, runProgram } from './runStage.ts';

const QUIET_MS = 700;
const OWN = ['--dev', '--host'];
// What the window is made of: the command line is not needed for it.
const SHOWN = ['main', 'preload', 'renderer'];
const main = join(ROOT, 'out/main/main.js');
const words = process.argv.slice(2);
const rest = words.filter((word) => !OWN.includes(word));

interface Runtime {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What opens the window; says which on the first line. */
async function chooseRuntime(): Promise<Runtime | null> {
  const wish = process.env['SLUICE_RUNTIME'];
  const host = words.includes('--host') || wish === 'host';
  const electron = host ? null : await electronBinary(true);
  if (electron !== null) {
    process.stdout.write('Running in Electron.\n');
    return { program: electron, args: [ROOT, ...rest], env: {} };
  }
  if (wish === 'electron' && !host) {
    process.stderr.write("Electron's binary is not here and could not be downloaded.\n");
    return null;
  }
  const chromium = await ensureChromium();
  if (!chromium.ok) {
    process.stderr.write(`Neither Electron's binary nor a browser can be had. ${chromium.why}\n`);
    return null;
  }
  const why = host ? 'as asked' : "Electron's binary is not here";
  process.stdout.write(`Running in the Chromium host (${why}).\n`);
  const entry = join(ROOT, 'build/chromiumHost/main.ts');
  const env = { SLUICE_CHROMIUM: chromium.path };
  return { program: process.execPath, args: [entry, main, ...rest], env };
}

function open(runtime: Runtime): ChildProcess {
  const child = spawn(runtime.program, runtime.args, {
    stdio: 'inherit',
    env: { ...process.env, ...runtime.env },
  });
  // Whoever ends this ends the application, which may still have something to finish. Ctrl+C reaches it by itself.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const wait = (): void => undefined;
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', wait);
  child.on('close', () => process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', wait));
  return child;
}

async function start(runtime: Runtime): Promise<void> {
  const built = await runProgram(['build/build.ts'], true);
  if (built.code !== 0) {
    process.exitCode = built.code;
    return;
  }
  open(runtime).on('close', (code) => (process.exitCode = code ?? 1));
}

/**
 * Opens the window whenever everything is built; closing it ends the whole. One that fails by itself waits for the next change.
 */
function develop(runtime: Runtime): void {
  const builder = spawn(process.execPath, ['build/build.ts', ...SHOWN, '--watch'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let app: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let [reopening, ending] = [false, false];
  const closed = (code: number | null): void => {
    app = null;
    if (reopening && !ending) return launch();
    if (code === 0 || ending) return void builder.kill();
    process.stdout.write('The application failed; the next change opens it again.\n');
  };
  const launch = (): void => {
    reopening = false;
    app = open(runtime).on('close', closed);
  };
  const reopen = (): void => {
    if (app === null) return launch();
    // The next one may only start when this one has left the data folder.
    reopening = true;
    app.kill();
  };
  builder.on('message', () => {
    clearTimeout(timer);
    timer = setTimeout(reopen, QUIET_MS);
  });
  builder.on('close', () => {
    ending = true;
    clearTimeout(timer);
    app?.kill();
  });
  const end = (): void => {
    ending = true;
    builder.kill();
  };
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
}

const runtime = await chooseRuntime();
if (runtime === null) process.exitCode = 1;
else if (words.includes('--dev')) develop(runtime);
else await start(runtime);
