/**
 * `app://` on the outside, `http://….localhost` on the inside.
 * Chromium without Electron aborts unknown schemes, while a localhost name is a secure context and obeys CSP headers.
 * Every border of the host maps with these two functions, so that no application code sees the difference.
 */

const INSIDE = /^http:\/\/([^/?#:@]+)\.localhost(?=[/?#]|$)/i;
const OUTSIDE = /^app:\/\/([^/?#:@]+)(?=[/?#]|$)/i;

/** What Chromium is asked to open for an address of the application; other addresses stay. */
export function toInside(url: string): string {
  return url.replace(OUTSIDE, (_all, host: string) => `http://${host}.localhost`);
}

/** What the application is told for an address in Chromium; other addresses stay. */
export function toOutside(url: string): string {
  return url.replace(INSIDE, (_all, host: string) => `app://${host}`);
}

/** True for an address in Chromium that stands for one of the application's own. */
export function isInside(url: string): boolean {
  return INSIDE.test(url);
}

/** The origin as Electron's `senderFrame.origin` words it. */
export function outsideOrigin(url: string): string {
  const outside = toOutside(url);
  const own = OUTSIDE.exec(outside);
  return own === null ? new URL(outside).origin : own[0].toLowerCase();
}
