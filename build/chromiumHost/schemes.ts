/**
 * `app://` on the outside, `http://….localhost` on the inside. Chromium without Electron aborts unknown schemes, while a localhost name
 * is a secure context and obeys CSP headers. Every boundary of the host maps addresses with these two functions, so application code
 * never sees the difference.
 */

const INSIDE = /^http:\/\/([^/?#:@]+)\.localhost(?=[/?#]|$)/i;
const OUTSIDE = /^app:\/\/([^/?#:@]+)(?=[/?#]|$)/i;

/** The address that Chromium opens for an address of the application; other addresses are unchanged. */
export function toInside(url: string): string {
  return url.replace(OUTSIDE, (_all, host: string) => `http://${host}.localhost`);
}

/** The address that the application sees for an address in Chromium; other addresses are unchanged. */
export function toOutside(url: string): string {
  return url.replace(INSIDE, (_all, host: string) => `app://${host}`);
}

/** True for an address in Chromium that represents one of the application's own. */
export function isInside(url: string): boolean {
  return INSIDE.test(url);
}

/** The origin in the form of Electron's `senderFrame.origin`. */
export function outsideOrigin(url: string): string {
  const outside = toOutside(url);
  const own = OUTSIDE.exec(outside);
  return own === null ? new URL(outside).origin : own[0].toLowerCase();
}
