/** `session`: permissions, proxies and requests of the application's pages. */
import { setPermission } from './browser.ts';
import { HostEmitter, strictModule } from './notOnHost.ts';
import { isInside, outsideOrigin } from './schemes.ts';
import type { WebContents } from './webContents.ts';

type RequestHandler = (
  contents: WebContents,
  permission: string,
  callback: (granted: boolean) => void,
  details: Readonly<Record<string, unknown>>,
) => void;
type CheckHandler = (
  contents: WebContents | null,
  permission: string,
  origin: string,
  details: Readonly<Record<string, unknown>>,
) => boolean;

const decide: { request: RequestHandler | null; check: CheckHandler | null } = {
  request: null,
  check: null,
};

class Session extends HostEmitter {
  setPermissionRequestHandler = (handler: RequestHandler | null): void =>
    void (decide.request = handler);
  setPermissionCheckHandler = (handler: CheckHandler | null): void => void (decide.check = handler);
  resolveProxy = async (_url: string): Promise<string> => 'DIRECT';
}

/** The one session of the host. */
export const defaultSession = new Session();

/** The export `session`. */
export const session = strictModule('session', { defaultSession });

/** Electron's name of a permission, and Chromium's names for it. */
const PERMISSIONS: readonly (readonly [string, readonly string[]])[] = [
  ['geolocation', ['geolocation']],
  ['notifications', ['notifications']],
  ['media', ['camera', 'microphone']],
  ['midi', ['midi']],
  ['clipboard-read', ['clipboard-read']],
  ['clipboard-sanitized-write', ['clipboard-write']],
  ['display-capture', ['display-capture']],
  ['idle-detection', ['idle-detection']],
  ['storage-access', ['storage-access']],
  ['window-management', ['window-management']],
  ['keyboardLock', ['keyboard-lock']],
  ['pointerLock', ['pointer-lock']],
  ['persistent-storage', ['persistent-storage']],
  ['sensors', ['accelerometer', 'gyroscope', 'magnetometer', 'ambient-light-sensor']],
];

/**
 * Passes to Chromium what the application's handlers decide about each permission. Electron asks when a permission is used, the host before a
 * page loads: a handler must not change its decision in between.
 */
export async function applyPermissions(contents: WebContents, insideUrl: string): Promise<void> {
  if (!isInside(insideUrl)) return;
  const { origin } = new URL(insideUrl);
  const all = PERMISSIONS.flatMap(([permission, names]) => {
    const setting = granted(contents, permission, outsideOrigin(insideUrl)) ? 'granted' : 'denied';
    return names.map((name) => setPermission(name, origin, setting));
  });
  await Promise.all(all);
}

function granted(contents: WebContents, permission: string, origin: string): boolean {
  const details = { requestingUrl: `${origin}/`, isMainFrame: true };
  if (decide.check !== null && !decide.check(contents, permission, origin, details)) return false;
  // Without a handler Electron grants everything.
  let answer = decide.request === null;
  decide.request?.(contents, permission, (value) => void (answer = value), details);
  return answer;
}
