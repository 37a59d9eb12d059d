/** The module `electron` as the application's main process sees it on the host. */
import { app } from './app.ts';
import { BrowserWindow } from './browserWindow.ts';
import { dialog } from './dialog.ts';
import { ELECTRON_NAMES } from './electronNames.ts';
import { ipcMain } from './ipcMain.ts';
import { Menu, MenuItem } from './menu.ts';
import { nativeImage } from './nativeImage.ts';
import { nativeTheme } from './nativeTheme.ts';
import { Notification } from './notification.ts';
import { notOnHost } from './notOnHost.ts';
import { powerMonitor, powerSaveBlocker } from './power.ts';
import { protocol } from './protocol.ts';
import { safeStorage } from './safeStorage.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { clipboard, screen } from './system.ts';
import { Tray } from './tray.ts';

const IMPLEMENTED = {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};

// Exports that main does not have on Electron either: code reads them to find out where it runs.
const ONLY_IN_PAGES = new Set(['contextBridge', 'ipcRenderer', 'webFrame', 'parentPort']);

/** The export with this name: implemented, absent in main as on Electron, or throwing when used. */
function exportOf(name: string): unknown {
  if (name in IMPLEMENTED) return Reflect.get(IMPLEMENTED, name);
  return ONLY_IN_PAGES.has(name) ? undefined : notOnHost(name);
}

/** Every export of `electron`. */
export const standIn: Readonly<Record<string, unknown>> = Object.fromEntries(
  ELECTRON_NAMES.map((name) => [name, exportOf(name)]),
);
