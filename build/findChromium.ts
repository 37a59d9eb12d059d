/** Finds a Chromium for the tests, or installs one. */
import { execFile, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A browser that started, or why there is none. */
export type ChromiumFound =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

/** What the browser is for. Without windows, Chromium's headless shell starts at half the cost. */
export type ChromiumUse = 'windows' | 'headless';

const HEADLESS_SHELL = 'chromium-headless-shell';
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const MAC_APPS = ['Chromium', 'Google Chrome', 'Microsoft Edge'];
const WINDOWS_PROGRAMS = [
  'Chromium\\Application\\chrome.exe',
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];
const INSTALL_LIMIT_MS = 4 * 60_000;

/** The first Chromium that starts: SLUICE_CHROMIUM, a headless shell, Playwright's own, then the system's. null when there is none. */
export async function findChromium(use: ChromiumUse): Promise<string | null> {
  const requested = process.env['SLUICE_CHROMIUM'];
  // Someone who names a browser wants that one or an error, never a silent replacement.
  if (requested) return (await starts(requested)) ? requested : null;
  for (const path of await candidates(use)) if (await starts(path)) return path;
  return null;
}

/** Finds a Chromium; installs one when there is none (Playwright's download, otherwise Debian's package as root). */
export async function ensureChromium(use: ChromiumUse): Promise<ChromiumFound> {
  const found = await findChromium(use);
  if (found !== null) return { ok: true, path: found };
  const requested = process.env['SLUICE_CHROMIUM'];
  if (requested)
    return { ok: false, why: `SLUICE_CHROMIUM names ${requested}, which does not start.` };
  for (const [program, args] of installers(use)) {
    process.stdout.write(`No Chromium found; trying: ${program} ${args.join(' ')}\n`);
    await run(program, args);
    const installed = await findChromium(use);
    if (installed !== null) return { ok: true, path: installed };
  }
  return {
    ok: false,
    why: 'There is no Chromium here, and none could be installed. Install one (Debian: apt-get install chromium) or name it in SLUICE_CHROMIUM.',
  };
}

async function candidates(use: ChromiumUse): Promise<readonly string[]> {
  // Loaded on demand: it is large, and not needed where a browser is named.
  const { chromium } = await import('playwright');
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '');
  const inPath = (name: string): readonly string[] =>
    [...path, '/usr/bin', '/snap/bin'].map((at) => join(at, name));
  const system = {
    linux: NAMES.flatMap(inPath),
    darwin: MAC_APPS.flatMap((app) =>
      ['/Applications', join(homedir(), 'Applications')].map((at) =>
        join(at, `${app}.app`, 'Contents', 'MacOS', app),
      ),
    ),
    win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA']
      .map((name) => process.env[name] ?? '')
      .filter((at) => at !== '')
      .flatMap((at) => WINDOWS_PROGRAMS.map((program) => join(at, program))),
  };
  const { platform } = process;
  const own = platform === 'darwin' || platform === 'win32' ? system[platform] : system.linux;
  const shells = use === 'headless' && platform === 'linux' ? inPath(HEADLESS_SHELL) : [];
  return [...new Set([...shells, chromium.executablePath(), ...own])];
}

/** True when the program exists and prints its version; one that lacks its libraries does not. */
async function starts(path: string): Promise<boolean> {
  try {
    await access(path);
    // On Windows, asking for the version opens a window instead.
    if (process.platform === 'win32') return true;
    await promisify(execFile)(path, ['--version'], { timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}

function installers(use: ChromiumUse): readonly (readonly [string, readonly string[]])[] {
  const playwright = join(import.meta.dirname, '../node_modules/playwright/cli.js');
  const apt = process.platform === 'linux' && process.getuid?.() === 0;
  const packages = [...(use === 'headless' ? [HEADLESS_SHELL] : []), 'chromium'].map(
    (name) => `apt-get install -y ${name}`,
  );
  return [
    [process.execPath, [playwright, 'install', 'chromium']],
    ...(apt ? ([['sh', ['-c', `apt-get update && ${packages.join(' || ')}`]]] as const) : []),
  ];
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: INSTALL_LIMIT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    // Whether it worked shows when the browser is searched for again.
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
}
