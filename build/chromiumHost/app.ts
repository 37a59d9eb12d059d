/** `app`: the application as a whole. */
import { dirname } from 'node:path';
import PROJECT from '../../package.json' with { type: 'json' };
import { APP_DIRECTORY, pathOf } from './appPaths.ts';
import { killBrowser, stopBrowser } from './browser.ts';
import { hostEvent } from './hostEvent.ts';
import { isQuitting, setQuitting, whenReady } from './life.ts';
import { HostEmitter } from './notOnHost.ts';
import { switchValue } from './options.ts';
import { RELAUNCH, underTest } from './records.ts';
import { acquireLock, releaseLock } from './singleInstance.ts';
import { allWindows } from './windows.ts';

class App extends HostEmitter {
  readonly isPackaged = false;
  readonly commandLine = {
    hasSwitch: (name: string): boolean => switchValue(process.argv, name) !== null,
  };

  getVersion = (): string => PROJECT.version;
  getAppPath = (): string => APP_DIRECTORY;
  getPath = (name: string): string => pathOf(name);
  whenReady = (): Promise<void> => whenReady();

  requestSingleInstanceLock = (): boolean =>
    acquireLock(process.argv, (argv) => void this.emit('second-instance', hostEvent({}), argv));

  // These have an effect only in a packaged application on a real desktop.
  setLoginItemSettings = (_settings: object): void => undefined;
  setAsDefaultProtocolClient = (_scheme: string): boolean => true;

  relaunch = (asked: { readonly args?: readonly string[] } = {}): void => {
    this.#relaunch = asked.args ?? process.argv.slice(1);
  };
  #relaunch: readonly string[] | null = null;

  /** Asks to quit: before-quit, then each window's close; each may refuse. */
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

/** The one application of this process. */
export const app = new App();

// However this process ends, Chromium ends with it.
process.on('exit', () => killBrowser());
