/** What tests do inside Electron's main process: each function is sent there as text and must be self-contained. */
import type Electron from 'electron';
import type { DialogAnswer } from './appUnderTest.ts';

type Main = typeof Electron;

/** Queues an answer for the spy's dialogs. */
export function queueAnswer(_main: Main, answer: DialogAnswer): void {
  const spy: unknown = Reflect.get(globalThis, 'sluiceSpy');
  if (typeof spy !== 'object' || spy === null) throw new Error('The spy is not loaded.');
  const answers: unknown = Reflect.get(spy, 'answers');
  if (Array.isArray(answers)) answers.push(answer);
}

/** What the spy recorded under a name. */
export function spied(_main: Main, name: string): unknown {
  const spy: unknown = Reflect.get(globalThis, 'sluiceSpy');
  return typeof spy === 'object' && spy !== null ? Reflect.get(spy, name) : [];
}

/** Clicks in the application's menu. */
export function clickMenu({ Menu }: Main, path: string[]): void {
  let menu: Electron.Menu | null | undefined = Menu.getApplicationMenu();
  for (const [at, label] of path.entries()) {
    const item: Electron.MenuItem | undefined = menu?.items.find(
      (entry) => entry.visible && entry.label.replaceAll('&', '') === label,
    );
    if (item === undefined) throw new Error(`The menu has no "${label}".`);
    if (!item.enabled) throw new Error(`The menu item "${label}" is disabled.`);
    if (at === path.length - 1) item.click();
    menu = item.submenu;
  }
}

export function trayItems(_main: Main): unknown {
  const spy: unknown = Reflect.get(globalThis, 'sluiceSpy');
  const read: unknown = typeof spy === 'object' && spy !== null ? Reflect.get(spy, 'tray') : null;
  return typeof read === 'function' ? read() : [];
}

export function clickTray(_main: Main, label: string): void {
  const spy: unknown = Reflect.get(globalThis, 'sluiceSpy');
  const click: unknown =
    typeof spy === 'object' && spy !== null ? Reflect.get(spy, 'clickTray') : null;
  if (typeof click === 'function') click(label);
}

export function clickNotification(_main: Main, title: string): void {
  const spy: unknown = Reflect.get(globalThis, 'sluiceSpy');
  const click: unknown =
    typeof spy === 'object' && spy !== null ? Reflect.get(spy, 'clickNotification') : null;
  if (typeof click === 'function') click(title);
}

export function power({ powerMonitor }: Main, event: string): void {
  if (event === 'on-battery' || event === 'on-ac') {
    const value = event === 'on-battery';
    Object.defineProperty(powerMonitor, 'isOnBatteryPower', {
      value: () => value,
      configurable: true,
    });
  }
  powerMonitor.emit(event, {});
}

export function windows({ BrowserWindow }: Main): unknown {
  return BrowserWindow.getAllWindows().map((entry) => ({
    url: entry.webContents.getURL(),
    visible: entry.isVisible(),
    focused: entry.isFocused(),
  }));
}

/** The X of the newest window. */
export function closeWindow({ BrowserWindow }: Main): void {
  BrowserWindow.getAllWindows().at(0)?.close();
}

/** Crashes the renderer of the newest window. */
export function crash({ BrowserWindow }: Main): void {
  BrowserWindow.getAllWindows().at(0)?.webContents.forcefullyCrashRenderer();
}

/** Asks to quit, after the test has received its answer. */
export function quit({ app }: Main): void {
  setImmediate(() => app.quit());
}

/** Fails in main, after the test has received its answer. */
export function fail(_main: Main, [how, text]: readonly [string, string]): void {
  setImmediate(() => {
    if (how === 'throw') throw new Error(text);
    void Promise.reject(new Error(text));
  });
}
