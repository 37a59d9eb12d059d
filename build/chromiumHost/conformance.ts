/** Checks at compile time that the host's implementations have the types of Electron's own declarations. */
import type { EventEmitter } from 'node:events';
import type Electron from 'electron';
import type { app } from './app.ts';
import type { BrowserWindow } from './browserWindow.ts';
import type { dialog } from './dialog.ts';
import type { ipcMain } from './ipcMain.ts';
import type { Menu, MenuItem } from './menu.ts';
import type { NativeImage, nativeImage } from './nativeImage.ts';
import type { nativeTheme } from './nativeTheme.ts';
import type { Notification } from './notification.ts';
import type { powerMonitor } from './power.ts';
import type { defaultSession } from './session.ts';
import type { clipboard, screen } from './system.ts';
import type { Tray } from './tray.ts';
import type { WebContents } from './webContents.ts';

type Shared<Host, Real> = Exclude<keyof Host & keyof Real, keyof EventEmitter>;
/** Shared members whose types do not fit. A member may accept more and return less detail, but nothing different. */
type Misfit<Host, Real> = {
  [Key in Shared<Host, Real>]: Host[Key] extends Real[Key] ? never : Key;
}[Shared<Host, Real>];

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

type Fits<Each extends Readonly<Record<string, true>>> = Each;

/**
 * A named member returns another of the host's own, smaller objects; everything else fits exactly. If a member stops fitting, or fits
 * again, this does not compile.
 */
export type CONFORMANCE = Fits<{
  readonly app: Same<Misfit<typeof app, Electron.App>, 'commandLine'>;
  readonly window: Same<Misfit<BrowserWindow, Electron.BrowserWindow>, 'webContents'>;
  readonly contents: Same<
    Misfit<WebContents, Electron.WebContents>,
    'mainFrame' | 'setWindowOpenHandler'
  >;
  readonly dialog: Same<
    Misfit<typeof dialog, Electron.Dialog>,
    'showOpenDialog' | 'showSaveDialog' | 'showMessageBox'
  >;
  readonly ipcMain: Same<Misfit<typeof ipcMain, Electron.IpcMain>, 'handle'>;
  readonly menu: Same<Misfit<Menu, Electron.Menu>, 'items' | 'append'>;
  readonly menuItem: Same<Misfit<MenuItem, Electron.MenuItem>, 'role' | 'type' | 'submenu'>;
  readonly image: Same<Misfit<NativeImage, Electron.NativeImage>, 'resize'>;
  readonly nativeImage: Same<
    Misfit<typeof nativeImage, typeof Electron.nativeImage>,
    'createEmpty' | 'createFromPath' | 'createFromBuffer'
  >;
  readonly nativeTheme: Same<Misfit<typeof nativeTheme, Electron.NativeTheme>, never>;
  readonly notification: Same<Misfit<Notification, Electron.Notification>, never>;
  readonly power: Same<Misfit<typeof powerMonitor, Electron.PowerMonitor>, never>;
  readonly session: Same<
    Misfit<typeof defaultSession, Electron.Session>,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler'
  >;
  readonly clipboard: Same<Misfit<typeof clipboard, Electron.Clipboard>, never>;
  readonly screen: Same<
    Misfit<typeof screen, Electron.Screen>,
    'getPrimaryDisplay' | 'getAllDisplays'
  >;
  readonly tray: Same<Misfit<Tray, Electron.Tray>, 'setContextMenu'>;
}>;
