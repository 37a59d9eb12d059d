/** The Chromium behind the windows: started with the first window, ended with the host. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '../findChromium.ts';
import { userDataDir } from './appPaths.ts';
import { type Chromium, startChromium } from './chromium.ts';
import { options } from './options.ts';
import { serve } from './serve.ts';

const SWITCHES = [
  // Chromium must not call home: on a closed network each attempt costs time, and on an open one it is noise.
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--disable-field-trial-config',
  '--disable-breakpad',
  '--metrics-recording-only',
  // It asks for no password, and uses no keychain.
  '--password-store=basic',
  '--use-mock-keychain',
  // It runs at full speed out of sight, as in the foreground.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-back-forward-cache',
  // Small in most containers.
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
];
const HEADLESS_SWITCHES = [
  '--headless',
  '--disable-gpu',
  '--hide-scrollbars',
  '--mute-audio',
  // A mouse is there, although the machine has none.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];
// The suggestions of the address bar, which no window of ours has, would cost as much processor time as the rest of the start.
const FEATURES_OFF =
  'Translate,OptimizationHints,MediaRouter,WebUIOmniboxPopup,WebUIOmniboxAimPopup';
// One process fewer to start.
const FEATURES_ON = 'NetworkServiceInProcess2';

let chromium: Promise<Chromium> | null = null;
let running: Chromium | null = null;
let blank: string | null = null;
/** The application's pages, and what happens when one is closed. */
const ours = new Map<string, (id: string) => void>();
let making = 0;
let stopping = false;

function profileDir(): string {
  const directory = join(userDataDir(), 'chromium-host');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function launch(): Promise<Chromium> {
  const { headless, remoteDebuggingPort, disableFeatures } = options();
  const program = await findChromium(headless ? 'headless' : 'windows');
  if (program === null) {
    throw new Error(
      'The Chromium host found no Chromium. Install one, or name it in SLUICE_CHROMIUM.',
    );
  }
  const off = disableFeatures === null ? FEATURES_OFF : `${FEATURES_OFF},${disableFeatures}`;
  const started = startChromium(program, [
    ...SWITCHES,
    ...(headless ? HEADLESS_SWITCHES : ['--app=about:blank']),
    `--user-data-dir=${profileDir()}`,
    `--disable-features=${off}`,
    `--enable-features=${FEATURES_ON}`,
    // Chromium refuses to start its sandbox as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...(remoteDebuggingPort === null ? [] : [`--remote-debugging-port=${remoteDebuggingPort}`]),
  ]);
  running = started;
  void started.ended.then(() => {
    chromium = null;
    running = null;
    for (const [id, closed] of ours) closed(id);
    ours.clear();
  });
  const { whole } = started;
  whole.on('Fetch.requestPaused', (request) => void serve(whole, request));
  await whole.send('Fetch.enable');
  const { targetInfos } = await whole.send('Target.getTargets');
  blank = targetInfos.find(({ type }) => type === 'page')?.targetId ?? null;
  whole.on('Target.targetCreated', ({ targetInfo: { targetId, type } }) => {
    // A window that the application did not open: window.open requests have already been decided.
    if (type !== 'page' || ours.has(targetId) || targetId === blank || making > 0) return;
    void whole.send('Target.closeTarget', { targetId }).catch(() => undefined);
  });
  whole.on('Target.targetDestroyed', ({ targetId }) => {
    ours.get(targetId)?.(targetId);
    ours.delete(targetId);
  });
  await whole.send('Target.setDiscoverTargets', { discover: true });
  return started;
}

/** Opens an empty page for a window; starts Chromium when it is not running. */
export async function newPage(onClosed: (id: string) => void) {
  if (stopping) throw new Error('The host is stopping.');
  making += 1;
  try {
    chromium ??= launch();
    const { whole, attach } = await chromium;
    const first = blank;
    blank = null;
    const id = first ?? (await whole.send('Target.createTarget', { url: 'about:blank' })).targetId;
    ours.set(id, onClosed);
    const close = async (): Promise<void> =>
      void (await whole.send('Target.closeTarget', { targetId: id }));
    return { id, session: await attach(id), close };
  } finally {
    making -= 1;
  }
}

/** A page of Chromium. */
export type Page = Awaited<ReturnType<typeof newPage>>;

/** Grants or refuses a permission for an origin, in Chromium's own terms. */
export async function setPermission(
  name: string,
  origin: string,
  setting: 'granted' | 'denied',
): Promise<void> {
  // A permission that this Chromium does not know needs no answer.
  await running?.whole
    .send('Browser.setPermission', { permission: { name }, setting, origin })
    .catch(() => undefined);
}

/** The port on which a second debugger can attach; null when none was requested or Chromium is not running. */
export async function debuggingPort(): Promise<number | null> {
  const asked = options().remoteDebuggingPort;
  if (asked === null || chromium === null) return null;
  await chromium;
  if (asked !== 0) return asked;
  const text = await readFile(join(profileDir(), 'DevToolsActivePort'), 'utf8');
  return Number(text.split('\n')[0]);
}

const STOP_LIMIT_MS = 5000;

/** Ends Chromium: asks first, so that it saves what pages stored, then kills it. Safe to call twice. */
export async function stopBrowser(): Promise<void> {
  stopping = true;
  const opened = await chromium?.catch(() => null);
  if (!opened) return;
  await opened.whole.send('Browser.close').catch(() => undefined);
  const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
  await Promise.race([opened.ended, limit]);
  killBrowser();
}

/** Kills Chromium at once; for when the process is exiting. */
export function killBrowser(): void {
  running?.kill();
}
