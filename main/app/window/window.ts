/** The one window: remembers its place, loads only app://, goes nowhere else, opens nothing, may nothing. */
import { join } from 'node:path';
import { app, BrowserWindow, type NativeImage, screen, session } from 'electron';
import type { PushName, Pushes } from '../../../preload/contract/requests.ts';
import { APP_ORIGIN } from './appProtocol.ts';
import { picture } from './pictures.ts';
import type { SettingsFile, WindowSettings } from '../system/settingsFile.ts';

export interface AppWindow {
  /** Opens it, or shows the one that is open. */
  show(): void;
  hide(): void;
  isOpen(): boolean;
  /** The window itself; null while none is open. */
  current(): BrowserWindow | null;
  push<Name extends PushName>(name: Name, value: Pushes[Name]): void;
  /** Shows the window at a view; kept until the page has loaded. */
  navigate(to: string): void;
}

export interface WindowOptions {
  readonly settingsFile: SettingsFile;
  /** Where the built preload stands. */
  readonly preload: string;
  /** True when closing only hides. */
  readonly hidesOnClose: () => boolean;
  readonly log: (event: string, facts: Readonly<Record<string, string>>) => void;
}

type Place = WindowSettings['place'];

const CRASHES_MOST = 3;
const CRASH_WINDOW_MS = 60_000;

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The kept place, without its position when no display shows it any more, and never larger than a display has room for; the
 * first display is the one a new window comes to. Pure.
 */
export function visiblePlace(place: Place, displays: readonly Area[]): Place {
  const { x, y, maximized } = place;
  const shows = (area: Area): boolean =>
    x !== undefined &&
    y !== undefined &&
    x + place.width > area.x + 80 &&
    x < area.x + area.width - 80 &&
    y >= area.y - 10 &&
    y < area.y + area.height - 80;
  const home = displays.find(shows);
  const room = home ?? displays[0];
  const width = Math.min(place.width, room?.width ?? place.width);
  const height = Math.min(place.height, room?.height ?? place.height);
  return home === undefined ? { width, height, maximized } : { ...place, width, height };
}

/** Denies every page of the application every permission, and every other page to exist. */
export function lockDown(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) =>
    answer(false),
  );
  session.defaultSession.setPermissionCheckHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

function keepPlace(window: BrowserWindow, file: SettingsFile): void {
  const bounds = window.getNormalBounds();
  const place = { ...bounds, maximized: window.isMaximized() };
  const { width, height } = place;
  if (width < 320 || height < 240) return;
  if (JSON.stringify(place) !== JSON.stringify(file.read().place)) file.write({ place });
}

/** Elsewhere the system takes the picture from the installed program. */
function icon(): { icon?: NativeImage } {
  if (process.platform !== 'linux') return {};
  return { icon: picture('window') };
}

function build(options: WindowOptions): BrowserWindow {
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()];
  const areas = displays.map(({ workArea }) => workArea);
  const { maximized, x, y, ...size } = visiblePlace(options.settingsFile.read().place, areas);
  const window = new BrowserWindow({
    ...size,
    ...(x === undefined || y === undefined ? {} : { x, y }),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Sluice',
    ...icon(),
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      spellcheck: false,
    },
  });
  if (maximized) window.maximize();
  return window;
}

/**
 * Counts crashes: a page that crashes again and again stays away. The engine goes on, and showing the window loads the
 * page anew.
 */
export function createCrashGuard(): (now: number) => boolean {
  let crashes: readonly number[] = [];
  return (now) => {
    crashes = [...crashes, now].filter((at) => now - at < CRASH_WINDOW_MS);
    return crashes.length <= CRASHES_MOST;
  };
}

/** Makes the window's keeper; nothing is opened yet. */
export function createWindow(options: WindowOptions): AppWindow {
  let window: BrowserWindow | null = null;
  let loaded = false;
  let wanted: string | null = null;
  const mayReload = createCrashGuard();

  const push: AppWindow['push'] = (name, value) => {
    if (window === null || window.isDestroyed() || !loaded) return;
    window.webContents.send(`sluice:push:${name}`, value);
  };
  const listen = (made: BrowserWindow): void => {
    made.once('ready-to-show', () => made.show());
    made.webContents.on('did-start-loading', () => (loaded = false));
    made.webContents.on('did-finish-load', () => {
      loaded = true;
      if (wanted !== null) push('navigate', { to: wanted });
      wanted = null;
    });
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      options.log('window.crashed', { reason });
      if (mayReload(Date.now()) && !made.isDestroyed()) made.webContents.reload();
    });
    made.on('close', (event) => {
      keepPlace(made, options.settingsFile);
      if (!options.hidesOnClose()) return;
      event.preventDefault();
      made.hide();
    });
    made.on('closed', () => {
      window = null;
      loaded = false;
    });
  };
  const show = (): void => {
    if (window === null) {
      window = build(options);
      listen(window);
      window.loadURL(`${APP_ORIGIN}/index.html`).catch((error: unknown) => {
        options.log('window.notLoaded', { said: String(error) });
      });
      return;
    }
    if (window.webContents.isCrashed()) window.webContents.reload();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  return {
    show,
    hide: () => window?.hide(),
    isOpen: () => window !== null && window.isVisible(),
    current: () => window,
    push,
    navigate: (to) => {
      wanted = loaded ? null : to;
      show();
      if (loaded) push('navigate', { to });
    },
  };
}

/** Where the built preload and page stand, seen from the built main. */
export function builtPaths(mainDirectory: string): { preload: string; page: string } {
  const out = join(mainDirectory, '..');
  return { preload: join(out, 'preload', 'preload.cjs'), page: join(out, 'renderer') };
}
