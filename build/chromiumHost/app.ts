/** `app`: the application as a whole. */
import { dirname } from 'node:path';
import { packageFacts, pathOf, setPathOf } from './appPaths.ts';
import { killBrowser, stopBrowser } from './browser.ts';
import { hostEvent } from './hostEvent.ts';
import { isQuitting, isReady, setQuitting, whenReady } from './life.ts';
import { getApplicationMenu, setApplicationMenu } from './applicationMenu.ts';
import type { Menu } from './menu.ts';
import { HostEmitter } from './notOnHost.ts';
import { switchValue } from './options.ts';
import { records, RELAUNCH, underTest } from './records.ts';
import { acquireLock, hasLock, releaseLock } from './singleInstance.ts';
import { allWindows, currentWindow } from './windows.ts';

class App extends HostEmitter {
  name = '';
  readonly isPackaged = false;
  // Only macOS has a dock; on other systems code uses `?.`.
  readonly dock: undefined = undefined;
  readonly accessibilitySupportEnabled = false;
  readonly commandLine = commandLine();
  userAgentFallback = '';

  getName = (): string => this.name || packageFacts().name;
  setName = (name: string): void => void (this.name = name);
  getVersion = (): string => packageFacts().version;
  getAppPath = (): string => packageFacts().directory;
  getLocale = (): string => 'en-US';
  getSystemLocale = (): string => 'en-US';
  getLocaleCountryCode = (): string => 'US';
  getPreferredSystemLanguages = (): string[] => ['en-US'];
  getPath = (name: string): string => pathOf(name);
  setPath = (name: string, path: string): void => setPathOf(name, path);
  setAppLogsPath = (path?: string): void => setPathOf('logs', path ?? pathOf('logs'));
  isReady = (): boolean => isReady();
  whenReady = (): Promise<void> => whenReady();

  get applicationMenu(): Menu | null {
    return getApplicationMenu();
  }
  set applicationMenu(menu: Menu | null) {
    setApplicationMenu(menu);
  }

  get badgeCount(): number {
    return records.badgeCount;
  }
  set badgeCount(count: number) {
    records.badgeCount = count;
  }
  getBadgeCount = (): number => records.badgeCount;
  setBadgeCount = (count?: number): boolean => {
    records.badgeCount = count ?? 0;
    return true;
  };

  requestSingleInstanceLock = (additionalData?: Record<string, unknown>): boolean => {
    const own = { argv: process.argv, workingDirectory: process.cwd(), additionalData };
    return acquireLock({ ...own, additionalData: additionalData ?? null }, (start) => {
      const { argv, workingDirectory } = start;
      this.emit('second-instance', hostEvent({}), argv, workingDirectory, start.additionalData);
    });
  };
  hasSingleInstanceLock = (): boolean => hasLock();
  releaseSingleInstanceLock = (): void => releaseLock();

  setLoginItemSettings = (settings: { openAtLogin?: boolean }): void => {
    records.openAtLogin = settings.openAtLogin ?? false;
  };
  getLoginItemSettings = (): { openAtLogin: boolean; wasOpenedAtLogin: boolean } => ({
    openAtLogin: records.openAtLogin,
    wasOpenedAtLogin: false,
  });
  setAsDefaultProtocolClient = (scheme: string): boolean => {
    records.protocolClients.add(scheme);
    return true;
  };
  removeAsDefaultProtocolClient = (scheme: string): boolean =>
    records.protocolClients.delete(scheme);
  isDefaultProtocolClient = (scheme: string): boolean => records.protocolClients.has(scheme);

  focus = (): void => currentWindow()?.focus();
  // These have a visible effect only in a packaged application on a real desktop.
  setAppUserModelId = (_id: string): void => undefined;
  setAboutPanelOptions = (_options: object): void => undefined;
  showAboutPanel = (): void => undefined;
  addRecentDocument = (_path: string): void => undefined;
  clearRecentDocuments = (): void => undefined;
  enableSandbox = (): void => undefined;
  disableHardwareAcceleration = (): void => undefined;

  relaunch = (asked: { readonly args?: readonly string[] } = {}): void => {
    this.#relaunch = asked.args ?? process.argv.slice(1);
  };
  #relaunch: readonly string[] | null = null;

  /** Asks to quit: before-quit, then each window's close, then will-quit; each may refuse. */
  quit = (): void => void this.#quit();

  async #quit(): Promise<void> {
    if (isQuitting()) return;
    setQuitting(true);
    const asked = hostEvent({});
    this.emit('before-quit', asked);
    if (asked.defaultPrevented) return setQuitting(false);
    for (const window of allWindows()) {
      window.close();
      if (!window.isClosing()) return setQuitting(false);
    }
    await Promise.all(allWindows().map((window) => window.closed));
    const last = hostEvent({});
    this.emit('will-quit', last);
    if (last.defaultPrevented) return setQuitting(false);
    this.exit(0);
  }

  /** Ends now: emits `quit`, closes Chromium, and exits the process. */
  exit = (code = 0): void => void this.#exit(code);
  #exiting = false;

  async #exit(code: number): Promise<void> {
    if (this.#exiting) return;
    this.#exiting = true;
    setQuitting(true);
    this.emit('quit', hostEvent({}), code);
    await stopBrowser();
    releaseLock();
    if (this.#relaunch !== null) await respawn(this.#relaunch);
    process.exit(code);
  }

  /** Called by a window that has closed. */
  windowClosed(): void {
    if (allWindows().length > 0 || isQuitting()) return;
    if (this.listenerCount('window-all-closed') === 0) this.quit();
    else this.emit('window-all-closed');
  }
}

async function respawn(words: readonly string[]): Promise<void> {
  // A test starts the next instance itself, so that it can control it.
  if (underTest()) return void console.log(`${RELAUNCH}${JSON.stringify(words.slice(1))}`);
  const { spawn } = await import('node:child_process');
  const run = `${dirname(import.meta.filename)}/main.ts`;
  spawn(process.execPath, [run, ...words], { detached: true, stdio: 'ignore' }).unref();
}

function commandLine(): {
  appendSwitch(name: string, value?: string): void;
  appendArgument(value: string): void;
  removeSwitch(name: string): void;
  hasSwitch(name: string): boolean;
  getSwitchValue(name: string): string;
} {
  const set = new Map<string, string>();
  const removed = new Set<string>();
  const find = (name: string): string | null =>
    removed.has(name) ? null : (set.get(name) ?? switchValue(process.argv, name));
  return {
    appendSwitch: (name, value) => {
      removed.delete(name);
      set.set(name, value ?? '');
    },
    appendArgument: () => undefined,
    removeSwitch: (name) => {
      set.delete(name);
      removed.add(name);
    },
    hasSwitch: (name) => find(name) !== null,
    getSwitchValue: (name) => find(name) ?? '',
  };
}

/** The one application of this process. */
export const app = new App();

// However this process ends, Chromium ends with it.
process.on('exit', () => killBrowser());
