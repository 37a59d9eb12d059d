/** The roles of menu items: their labels and actions when the application does not specify them. */
import { app } from './app.ts';
import type { BrowserWindow } from './browserWindow.ts';

interface Role {
  readonly label: string;
  readonly accelerator: string | null;
  readonly run: (window: BrowserWindow | undefined) => void;
}

const nothing = (): void => undefined;
const zoom = (window: BrowserWindow | undefined, by: number | null): void => {
  const contents = window?.webContents;
  contents?.setZoomFactor(by === null ? 1 : contents.getZoomFactor() * by);
};
// Chromium itself does this in a text field.
const edit = (label: string): Role => ({ label, accelerator: null, run: nothing });

const ROLES: Readonly<Record<string, Role>> = {
  undo: edit('Undo'),
  redo: edit('Redo'),
  cut: edit('Cut'),
  copy: edit('Copy'),
  paste: edit('Paste'),
  pasteandmatchstyle: edit('Paste and Match Style'),
  delete: edit('Delete'),
  selectall: edit('Select All'),
  help: edit('Help'),
  window: edit('Window'),
  editmenu: edit('Edit'),
  windowmenu: edit('Window'),
  viewmenu: edit('View'),
  filemenu: edit('File'),
  appmenu: { label: 'App', accelerator: null, run: nothing },
  about: { label: 'About', accelerator: null, run: () => app.showAboutPanel() },
  quit: { label: 'Quit', accelerator: 'CmdOrCtrl+Q', run: () => app.quit() },
  close: { label: 'Close Window', accelerator: 'CmdOrCtrl+W', run: (window) => window?.close() },
  minimize: { label: 'Minimize', accelerator: 'CmdOrCtrl+M', run: (window) => window?.minimize() },
  reload: { label: 'Reload', accelerator: 'CmdOrCtrl+R', run: (window) => window?.reload() },
  forcereload: { label: 'Force Reload', accelerator: 'Shift+CmdOrCtrl+R', run: (w) => w?.reload() },
  toggledevtools: { label: 'Toggle Developer Tools', accelerator: null, run: nothing },
  resetzoom: { label: 'Actual Size', accelerator: 'CmdOrCtrl+0', run: (w) => zoom(w, null) },
  zoomin: { label: 'Zoom In', accelerator: 'CmdOrCtrl+Plus', run: (w) => zoom(w, 1.2) },
  zoomout: { label: 'Zoom Out', accelerator: 'CmdOrCtrl+-', run: (w) => zoom(w, 1 / 1.2) },
  togglefullscreen: {
    label: 'Toggle Full Screen',
    accelerator: 'F11',
    run: (window) => window?.setFullScreen(!window.isFullScreen()),
  },
  hide: { label: 'Hide', accelerator: null, run: (window) => window?.hide() },
  hideothers: edit('Hide Others'),
  unhide: edit('Show All'),
  services: edit('Services'),
  front: edit('Bring All to Front'),
  zoom: edit('Zoom'),
};

/** The label of an item that only has a role. */
export function roleLabel(role: string | undefined): string {
  return ROLES[role ?? '']?.label ?? '';
}

/** The accelerator of an item that only has a role. */
export function roleAccelerator(role: string | undefined): string | null {
  return ROLES[role ?? '']?.accelerator ?? null;
}

/** Performs a role's action. */
export function runRole(role: string | undefined, window: BrowserWindow | undefined): void {
  ROLES[role ?? '']?.run(window);
}
