/** Finds Electron's binary, which its npm package downloads on first use; some networks block that. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './runStage.ts';

const HOME = join(ROOT, 'node_modules/electron');
// A network that blocks the download may hang instead of refusing.
const DOWNLOAD_LIMIT_MS = 20_000;

/**
 * The path of Electron's binary, downloading it if `download` says so; null when it is not available. The download may take 20 s, or any
 * time with SLUICE_RUNTIME=electron.
 */
export async function electronBinary(download: boolean): Promise<string | null> {
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const there = await locate(own ?? join(HOME, 'dist'));
  if (there !== null || own !== undefined || !download) return there;
  process.stdout.write('Downloading Electron (once)…\n');
  await install();
  return locate(join(HOME, 'dist'));
}

/** Whether it worked shows when the binary is searched for again. */
function install(): Promise<void> {
  const patient = process.env['SLUICE_RUNTIME'] === 'electron';
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(HOME, 'install.js')], {
      stdio: ['ignore', 'inherit', patient ? 'inherit' : 'ignore'],
      ...(patient ? {} : { timeout: DOWNLOAD_LIMIT_MS }),
    });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
}

/** What the window's tests run on: Electron if its binary is available, otherwise the Chromium host; SLUICE_RUNTIME overrides this. */
export async function chosenRuntime(): Promise<'electron' | 'host'> {
  const requested = process.env['SLUICE_RUNTIME'];
  if (requested === 'host' || requested === 'electron') return requested;
  return (await electronBinary(false)) === null ? 'host' : 'electron';
}

/** A sentence that says what tests run on. */
export async function describeRuntime(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
  const runtime = await chosenRuntime();
  const asked = process.env['SLUICE_RUNTIME'] === 'host';
  const why = asked ? 'as asked' : "because Electron's binary is not here";
  const window = runtime === 'electron' ? `Electron ${version}` : `the Chromium host, ${why}`;
  return `On ${process.platform} ${process.arch} with Node ${process.versions.node}; the window in ${window}.`;
}

async function locate(directory: string): Promise<string | null> {
  const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
  const { platform } = process;
  const usual = platform === 'darwin' || platform === 'win32' ? names[platform] : 'electron';
  const stated = await readFile(join(HOME, 'path.txt'), 'utf8').catch(() => usual);
  const path = join(directory, stated);
  return existsSync(path) ? path : null;
}
