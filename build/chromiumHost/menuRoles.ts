/** The roles of menu items: their labels and actions when the application does not specify them. */
import { app } from './app.ts';
import type { BrowserWindow } from './browserWindow.ts';
import { notOnHostError } from './notOnHost.ts';

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
  editmenu: edit('Edit'),
  windowmenu: edit('Window'),
  appmenu: edit('App'),
  quit: { label: 'Quit', accelerator: 'CmdOrCtrl+Q', run: () => app.quit() },
  close: { label: 'Close Window', accelerator: 'CmdOrCtrl+W', run: (window) => window?.close() },
  reload: {
    label: 'Reload',
    accelerator: 'CmdOrCtrl+R',
    run: (window) => window?.webContents.reload(),
  },
  // Developer tools attach through --remote-debugging-port.
  toggledevtools: { label: 'Toggle Developer Tools', accelerator: null, run: nothing },
  resetzoom: { label: 'Actual Size', accelerator: 'CmdOrCtrl+0', run: (w) => zoom(w, null) },
  zoomin: { label: 'Zoom In', accelerator: 'CmdOrCtrl+Plus', run: (w) => zoom(w, 1.2) },
  zoomout: { label: 'Zoom Out', accelerator: 'CmdOrCtrl+-', run: (w) => zoom(w, 1 / 1.2) },
  togglefullscreen: {
    label: 'Toggle Full Screen',
    accelerator: 'F11',
    run: (window) => window?.setFullScreen(!window.isFullScreen()),
  },
};

/** The role of an item; one that does nothing when it has none. */
export function roleOf(role: string | undefined): Role {
  if (role === undefined) return edit('');
  const known = ROLES[role];
  if (known === undefined) throw notOnHostError(`The role ${role} of a menu item`);
  return known;
}
