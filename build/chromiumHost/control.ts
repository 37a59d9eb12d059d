/** A test's control channel into a running host: what a person would do and see outside the page. */
import { app } from './app.ts';
import { debuggingPort } from './browser.ts';
import { hostEvent } from './hostEvent.ts';
import { getApplicationMenu } from './applicationMenu.ts';
import { clickPath, type Menu } from './menu.ts';
import { powerMonitor } from './power.ts';
import { records, underTest } from './records.ts';
import type { Tray } from './tray.ts';
import { allWindows, currentWindow } from './windows.ts';

type Work = (value: unknown) => unknown;

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('The host needs a text here.');
  return value;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function theTray(): Tray {
  const tray = [...records.trays].at(-1);
  if (tray === undefined) throw new Error('The application has no tray icon.');
  return tray;
}

function window(): NonNullable<ReturnType<typeof currentWindow>> {
  const found = currentWindow() ?? allWindows().at(-1) ?? null;
  if (found === null) throw new Error('The application has no window.');
  return found;
}

function describe(menu: Menu | null): unknown {
  return (menu?.items ?? [])
    .filter((item) => item.visible)
    .map(({ label, enabled, checked, type }) => ({ label, enabled, checked, type }));
}

function clickMenu(path: readonly string[]): void {
  const menu = getApplicationMenu();
  if (menu === null) throw new Error('The application has no menu.');
  clickPath(menu, path);
}

function throwIt(text: string): never {
  throw new Error(text);
}

const WORK: Readonly<Record<string, Work>> = {
  debuggingPort: () => debuggingPort(),
  answerDialog: (answer) => void records.answers.push(answer),
  unanswered: () => [
    ...records.unanswered.map(({ dialog, title }) => `${dialog} ("${title}")`),
    ...records.preloadErrors.map((text) => `preload error: ${text}`),
  ],
  menuClick: (path) => clickMenu(listOf(path)),
  trayItems: () => (records.trays.size === 0 ? [] : describe(theTray().menu)),
  trayClick: (label) => {
    const tray = theTray();
    if (label === null) tray.emit('click', hostEvent({}));
    else if (tray.menu === null) throw new Error('The tray icon has no menu.');
    else clickPath(tray.menu, [textOf(label)]);
  },
  notifications: () => records.notifications.map(({ title, body }) => ({ title, body })),
  clickNotification: (title) =>
    records.notifications.find((one) => one.title === title)?.emit('click', {}),
  power: (event) => powerMonitor.happen(textOf(event)),
  opened: () => records.opened,
  windows: () =>
    allWindows().map((entry) => ({
      url: entry.webContents.getURL(),
      visible: entry.isVisible(),
      focused: entry.isFocused(),
    })),
  closeWindow: () => window().close(),
  crashRenderer: async () => (await window().webContents.link()).crash(),
  failMain: (text) => void setImmediate(() => throwIt(textOf(text))),
  rejectMain: (text) => void Promise.reject(new Error(textOf(text))),
  quit: () => app.quit(),
};

/** Listens to the test that started this host, and ends when the test ends. */
export function openControl(): void {
  if (!underTest()) return;
  process.on('message', (message) => void answer(message));
  process.on('disconnect', () => app.exit(1));
}

async function answer(message: unknown): Promise<void> {
  if (typeof message !== 'object' || message === null) return;
  const id: unknown = Reflect.get(message, 'id');
  const method = String(Reflect.get(message, 'method'));
  try {
    const work = WORK[method];
    if (work === undefined) throw new Error(`The host has no control "${method}".`);
    process.send?.({ id, ok: true, value: (await work(Reflect.get(message, 'value'))) ?? null });
  } catch (error) {
    process.send?.({
      id,
      ok: false,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Tells the test that the application is ready or that a page has loaded. */
export function announce(event: 'ready' | 'page'): void {
  if (underTest()) process.send?.({ event });
}
