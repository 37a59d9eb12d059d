/** The existing windows, so that neither a window nor the application needs to know how the other is made. */
import type { BrowserWindow } from './browserWindow.ts';
import type { WebContents } from './webContents.ts';

const windows = new Map<number, BrowserWindow>();

/** Registers a window until it is closed. */
export function addWindow(window: BrowserWindow): void {
  windows.set(window.id, window);
}

/** Unregisters a closed window. */
export function removeWindow(window: BrowserWindow): void {
  windows.delete(window.id);
}

/** Every open window, oldest first. */
export function allWindows(): BrowserWindow[] {
  return [...windows.values()];
}

/** The window in use: the focused one, otherwise the last visible one; null when there is none. */
export function currentWindow(): BrowserWindow | null {
  const all = allWindows();
  return (
    all.find((entry) => entry.isFocused()) ?? all.findLast((entry) => entry.isVisible()) ?? null
  );
}

/** The web contents that own a page, by the page's id; null when no window owns it. */
export function contentsOf(pageId: string): WebContents | null {
  return allWindows().find((entry) => entry.webContents.owns(pageId))?.webContents ?? null;
}
