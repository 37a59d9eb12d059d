/** The Chromium behind the windows: started with the first window, ended with the host. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { findChromium } from '../findChromium.ts';
import { userDataDir } from './appPaths.ts';
import { options } from './options.ts';
import { serve } from './serve.ts';

// Chromium must not call home: on a closed network each attempt costs time, and on an open one it is noise.
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// The suggestions of the address bar, which no window of ours has, would cost as much processor time as the rest of the start.
const FEATURES_OFF =
  'Translate,OptimizationHints,MediaRouter,WebUIOmniboxPopup,WebUIOmniboxAimPopup';
// One process fewer to start.
const FEATURES_ON = 'NetworkServiceInProcess2';

let context: Promise<BrowserContext> | null = null;
let blank: Page | null = null;
let pid: number | null = null;
// Permissions last as long as the debugger session that set them, so it stays open.
let whole: CDPSession | null = null;
const ours = new Set<Page>();
let stopping = false;

function profileDir(): string {
  const directory = join(userDataDir(), 'chromium-host');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function launch(): Promise<BrowserContext> {
  const { headless, remoteDebuggingPort, disableFeatures } = options();
  const executablePath = await findChromium(headless ? 'headless' : 'windows');
  if (executablePath === null) {
    throw new Error(
      'The Chromium host found no Chromium. Install one, or name it in SLUICE_CHROMIUM.',
    );
  }
  // Loaded here, for it takes as long as the application itself: a second start, which opens no window, does without.
  const { chromium } = await import('playwright');
  const off = disableFeatures === null ? FEATURES_OFF : `${FEATURES_OFF},${disableFeatures}`;
  const opened = await chromium.launchPersistentContext(profileDir(), {
    executablePath,
    headless,
    // Chromium refuses to start its sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
    viewport: null,
    colorScheme: null,
    reducedMotion: null,
    forcedColors: null,
    contrast: null,
    serviceWorkers: 'block',
    // The host ends Chromium itself, after the application has finished quitting.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      ...QUIET,
      `--disable-features=${off}`,
      `--enable-features=${FEATURES_ON}`,
      ...(headless ? ['--disable-gpu'] : ['--app=about:blank']),
      ...(remoteDebuggingPort === null ? [] : [`--remote-debugging-port=${remoteDebuggingPort}`]),
    ],
  });
  blank = opened.pages()[0] ?? null;
  opened.on('close', () => {
    context = null;
    blank = null;
  });
  opened.on('page', (page) => void refuseStranger(page));
  await opened.route('**/*', serve);
  whole = await browserSession(opened);
  pid = await browserPid(whole);
  return opened;
}

/** Closes a window that the application did not open: window.open requests have already been decided. */
async function refuseStranger(page: Page): Promise<void> {
  // A page of ours is added to the set before its event is delivered.
  await Promise.resolve();
  if (ours.has(page) || making > 0) return;
  await page.close().catch(() => undefined);
}

async function browserPid(session: CDPSession): Promise<number | null> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.find((entry) => entry.type === 'browser')?.id ?? null;
}

async function browserSession(opened: BrowserContext): Promise<CDPSession> {
  const browser = opened.browser();
  if (browser === null) throw new Error('Chromium has no browser session.');
  return browser.newBrowserCDPSession();
}

let making = 0;

/** Opens an empty page for a window; starts Chromium when it is not running. */
export async function newPage(): Promise<Page> {
  if (stopping) throw new Error('The host is stopping.');
  making += 1;
  try {
    context ??= launch();
    const opened = await context;
    const page = blank ?? (await opened.newPage());
    blank = null;
    ours.add(page);
    page.on('close', () => ours.delete(page));
    return page;
  } finally {
    making -= 1;
  }
}

/** Grants or refuses a permission for an origin, in Chromium's own terms. */
export async function setPermission(
  name: string,
  origin: string,
  setting: 'granted' | 'denied',
): Promise<void> {
  // A permission that this Chromium does not know needs no answer.
  await whole
    ?.send('Browser.setPermission', { permission: { name }, setting, origin })
    .catch(() => undefined);
}

/** The port on which a second debugger can attach; null when none was requested or Chromium is not running. */
export async function debuggingPort(): Promise<number | null> {
  const asked = options().remoteDebuggingPort;
  if (asked === null || context === null) return null;
  await context;
  if (asked !== 0) return asked;
  const text = await readFile(join(profileDir(), 'DevToolsActivePort'), 'utf8');
  return Number(text.split('\n')[0]);
}

const STOP_LIMIT_MS = 5000;

/** Ends Chromium: asks first, so that it saves what pages stored, then kills it. Safe to call twice. */
export async function stopBrowser(): Promise<void> {
  stopping = true;
  const closing = context?.then(async (opened) => opened.close()).catch(() => undefined);
  if (closing === undefined) return;
  const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
  await Promise.race([closing, limit]);
  killBrowser();
}

/** Kills Chromium at once; for when the process is exiting. */
export function killBrowser(): void {
  if (pid === null || context === null) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended by itself.
  }
}
