/** The one window: remembers its bounds, loads only app://, cannot navigate elsewhere, and has no permissions. */
import { join } from 'node:path';
import { app, BrowserWindow, type NativeImage, type Rectangle, screen, session } from 'electron';
import type { PushName, Pushes } from '../../../preload/contract/requests.ts';
import { APP_ORIGIN } from './appProtocol.ts';
import { picture } from './pictures.ts';
import type { SettingsFile, WindowSettings } from '../system/settingsFile.ts';

export interface WindowOptions {
  readonly settingsFile: SettingsFile;
  readonly preload: string;
  /** True when closing only hides the window. */
  readonly hidesOnClose: () => boolean;
  readonly log: (event: string, facts: Readonly<Record<string, string>>) => void;
}

type WindowBounds = WindowSettings['place'];

const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;

/**
 * The saved bounds, never larger than the display, and without their position when no display shows it now. A window without a position
 * opens on the first display. Pure.
 */
export function fitToDisplays(bounds: WindowBounds, displays: readonly Rectangle[]): WindowBounds {
  const { x, y, maximized } = bounds;
  const shows = (area: Rectangle): boolean =>
    x !== undefined &&
    y !== undefined &&
    x + bounds.width > area.x + 80 &&
    x < area.x + area.width - 80 &&
    y >= area.y - 10 &&
    y < area.y + area.height - 80;
  const home = displays.find(shows);
  const room = home ?? displays[0];
  const width = Math.min(bounds.width, room?.width ?? bounds.width);
  const height = Math.min(bounds.height, room?.height ?? bounds.height);
  return home === undefined ? { width, height, maximized } : { ...bounds, width, height };
}

/** Denies all permissions; blocks navigation and new windows. */
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

function saveBounds(window: BrowserWindow, file: SettingsFile): void {
  const bounds = window.getNormalBounds();
  const place = { ...bounds, maximized: window.isMaximized() };
  const { width, height } = place;
  if (width < 320 || height < 240) return;
  if (JSON.stringify(place) !== JSON.stringify(file.read().place)) file.write({ place });
}

/** On other systems the icon comes from the installed program. */
function icon(): { icon?: NativeImage } {
  if (process.platform !== 'linux') return {};
  return { icon: picture('window') };
}

function openWindow(options: WindowOptions): BrowserWindow {
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()];
  const areas = displays.map(({ workArea }) => workArea);
  const { maximized, x, y, ...size } = fitToDisplays(options.settingsFile.read().place, areas);
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

/** Decides whether a crashed page is reloaded: not after repeated crashes; showing the window then reloads it. Takes epoch ms. */
export function createCrashGuard(): (now: number) => boolean {
  let crashes: readonly number[] = [];
  return (now) => {
    crashes = [...crashes, now].filter((at) => now - at < CRASH_WINDOW_MS);
    return crashes.length <= MAX_CRASHES;
  };
}

function saveOrHideOnClose(window: BrowserWindow, options: WindowOptions): void {
  window.on('close', (event) => {
    saveBounds(window, options.settingsFile);
    if (!options.hidesOnClose()) return;
    event.preventDefault();
    window.hide();
  });
}

function reloadAfterCrash(
  window: BrowserWindow,
  log: WindowOptions['log'],
  mayReload: () => boolean,
): void {
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    log('window.crashed', { reason });
    if (mayReload() && !window.isDestroyed()) window.webContents.reload();
  });
}

/** Creates the window's controller; opens nothing yet. */
export function createWindow(options: WindowOptions) {
  let window: BrowserWindow | null = null;
  let loaded = false;
  let pendingView: string | null = null;
  const mayReload = createCrashGuard();
  const firstFrame = Promise.withResolvers<void>();

  const push = <Name extends PushName>(name: Name, value: Pushes[Name]): void => {
    if (window === null || window.isDestroyed() || !loaded) return;
    window.webContents.send(`sluice:push:${name}`, value);
  };
  const listen = (made: BrowserWindow): void => {
    made.once('ready-to-show', () => {
      made.show();
      firstFrame.resolve();
    });
    made.webContents.on('did-start-loading', () => (loaded = false));
    made.webContents.on('did-finish-load', () => {
      loaded = true;
      if (pendingView !== null) push('navigate', { to: pendingView });
      pendingView = null;
    });
    reloadAfterCrash(made, options.log, () => mayReload(Date.now()));
    saveOrHideOnClose(made, options);
    made.on('closed', () => {
      window = null;
      loaded = false;
    });
  };
  const show = (): void => {
    if (window === null) {
      window = openWindow(options);
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
  /** Shows a view; remembered until the page has loaded. */
  const navigate = (to: string): void => {
    pendingView = loaded ? null : to;
    show();
    if (loaded) push('navigate', { to });
  };
  return {
    /** Opens the window, or brings the open one to the front. */
    show,
    navigate,
    /** Shows a view, or only the window without one. */
    open: (view: string | null) => (view === null ? show() : navigate(view)),
    isOpen: () => window !== null && window.isVisible(),
    /** The window itself; null while none is open. */
    current: () => window,
    push,
    /** Resolves when a window has drawn its first frame. */
    firstFrame: firstFrame.promise,
  };
}

export type AppWindow = ReturnType<typeof createWindow>;

export function builtPaths(mainDirectory: string): { preload: string; page: string } {
  const out = join(mainDirectory, '..');
  return { preload: join(out, 'preload', 'preload.cjs'), page: join(out, 'renderer') };
}
