/**
 * `npm start`: builds and opens the window, in Electron, or where its binary cannot be had (or with --host) in the Chromium host.
 * SLUICE_RUNTIME=electron|host decides which, too; --user-data-dir and --remote-debugging-port mean the same in both.
 * `npm run dev` (--dev) builds again what changes and opens the window anew. Other arguments go to the application.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLES } from './bundles.ts';
import { electronBinary } from './electronBinary.ts';
import { ensureChromium } from './findChromium.ts';
import { ROOT, runProgram } from './runStage.ts';

const QUIET_MS = 700;
const OWN = ['--dev', '--host'];
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

/** Opens the window whenever everything is built and nothing was written for a moment; closing it ends the whole. */
async function develop(runtime: Runtime): Promise<void> {
  await mkdir(join(ROOT, 'out'), { recursive: true });
  const builder = spawn(process.execPath, ['build/build.ts', '--watch'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  let app: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  const reopen = (): void => {
    if (!BUNDLES.every(({ out }) => existsSync(join(ROOT, out)))) return;
    const old = app;
    old?.removeAllListeners('close');
    const next = (): void => {
      app = open(runtime).on('close', () => {
        builder.kill();
        process.exit();
      });
    };
    if (old === null) return next();
    old.on('close', next);
    old.kill();
  };
  watch(join(ROOT, 'out'), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(reopen, QUIET_MS);
  });
}

const runtime = await chooseRuntime();
if (runtime === null) process.exitCode = 1;
else await (words.includes('--dev') ? develop(runtime) : start(runtime));
