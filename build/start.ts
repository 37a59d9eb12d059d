/**
 * `npm start`: builds and opens the window, in Electron or, if its binary is not available (or with --host), in the Chromium host.
 * SLUICE_RUNTIME=electron|host also decides which; --user-data-dir and --remote-debugging-port mean the same in both. `npm run dev`
 * (--dev) follows the sources (dev/develop.ts). Other arguments go to the application.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { electronBinary } from './electronBinary.ts';
import { ensureChromium } from './findChromium.ts';
import { ROOT, runProgram } from './runStage.ts';

const OWN = ['--dev', '--host'];
const words = process.argv.slice(2);
const development = words.includes('--dev');
/** Electron takes a directory with a package.json, the host a file. */
const [directory, main] = development ? ['out/dev', 'out/dev/main.js'] : ['.', 'out/main/main.js'];
const rest = words.filter((word) => !OWN.includes(word));
// The page server is on this computer, which a page may not contact by default.
if (development)
  rest.push('--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets');

interface Runtime {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What opens the window; the first line of output says which. */
async function chooseRuntime(): Promise<Runtime | null> {
  const requested = process.env['SLUICE_RUNTIME'];
  const host = words.includes('--host') || requested === 'host';
  const electron = host ? null : await electronBinary(true);
  if (electron !== null) {
    process.stdout.write('Running in Electron.\n');
    return { program: electron, args: [join(ROOT, directory), ...rest], env: {} };
  }
  if (requested === 'electron' && !host) {
    process.stderr.write("Electron's binary is not here and could not be downloaded.\n");
    return null;
  }
  const chromium = await ensureChromium('windows');
  if (!chromium.ok) {
    process.stderr.write(`Neither Electron's binary nor a browser can be had. ${chromium.why}\n`);
    return null;
  }
  const why = host ? 'as asked' : "Electron's binary is not here";
  process.stdout.write(`Running in the Chromium host (${why}).\n`);
  const entry = join(ROOT, 'build/chromiumHost/main.ts');
  const env = { SLUICE_CHROMIUM: chromium.path };
  return { program: process.execPath, args: [entry, join(ROOT, main), ...rest], env };
}

function open(runtime: Runtime, more: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(runtime.program, runtime.args, {
    stdio: ['inherit', 'inherit', 'inherit', ...(development ? ['ipc' as const] : [])],
    env: { ...process.env, ...runtime.env, ...more },
  });
  // Ending this process ends the application, which may still have something to finish. Ctrl+C reaches it directly.
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

const runtime = await chooseRuntime();
if (runtime === null) process.exitCode = 1;
else if (development) {
  const { develop } = await import('./dev/develop.ts');
  await develop((env) => open(runtime, env));
} else await start(runtime);
