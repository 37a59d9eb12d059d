/** The small modules: screen, clipboard, net, crashReporter, globalShortcut. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { CrashReporter, GlobalShortcut } from 'electron';
import type { Rectangle } from './browserWindow.ts';
import { HostEmitter, notOnHostError, strictModule } from './notOnHost.ts';

const BOUNDS: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };
const DISPLAY = {
  id: 1,
  label: 'Chromium host',
  bounds: BOUNDS,
  workArea: BOUNDS,
  size: { width: BOUNDS.width, height: BOUNDS.height },
  workAreaSize: { width: BOUNDS.width, height: BOUNDS.height },
  scaleFactor: 1,
  rotation: 0,
  internal: true,
};

class Screen extends HostEmitter {
  getPrimaryDisplay = (): typeof DISPLAY => DISPLAY;
  getAllDisplays = (): (typeof DISPLAY)[] => [DISPLAY];
  getDisplayMatching = (_rectangle: Rectangle): typeof DISPLAY => DISPLAY;
  getDisplayNearestPoint = (_point: object): typeof DISPLAY => DISPLAY;
  getCursorScreenPoint = (): { x: number; y: number } => ({ x: 0, y: 0 });
}

/** The export `screen`: one display of a fixed size. */
export const screen = new Screen();

let copied = '';

/** The export `clipboard`: the host's own, so that tests and the desktop do not disturb each other. */
export const clipboard = strictModule('clipboard', {
  readText: async (): Promise<string> => copied,
  writeText: async (text: string): Promise<void> => void (copied = text),
  clear: (): void => void (copied = ''),
});

/** The export `net`: only what does not need Chromium's network stack. */
export const net = strictModule('net', {
  isOnline: (): boolean => true,
  online: true,
  /** Reads files for protocol handlers; network requests belong in Node's own client. */
  async fetch(input: string | URL | Request): Promise<Response> {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith('file:')) throw notOnHostError('net.fetch of anything but files');
    return new Response(new Uint8Array(await readFile(fileURLToPath(url))));
  },
});

/** The export `crashReporter`: there are no crash reports on the host. */
export const crashReporter = strictModule('crashReporter', {
  start: () => undefined,
  getParameters: () => ({}),
  addExtraParameter: () => undefined,
  removeExtraParameter: () => undefined,
  getUploadToServer: () => false,
  setUploadToServer: () => undefined,
  getUploadedReports: () => [],
  getLastCrashReport: () => null,
} satisfies Partial<CrashReporter>);

/** The export `globalShortcut`: system-wide shortcuts cannot be registered here, and callers are told so. */
export const globalShortcut = strictModule('globalShortcut', {
  register: () => false,
  registerAll: () => undefined,
  isRegistered: () => false,
  unregister: () => undefined,
  unregisterAll: () => undefined,
} satisfies Partial<GlobalShortcut>);
