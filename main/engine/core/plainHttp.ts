/** Addresses over which the key would travel unencrypted. */

/** True for this computer itself. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/** True for http:// to another computer: anyone between the two computers can read what is sent. Pure. */
export function isReadableOnTheWay(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** The warning about such addresses; null when the key is safe on all of them. Pure. */
export function plainHttpSentence(urls: readonly string[]): string | null {
  const open = urls.find(isReadableOnTheWay);
  if (open === undefined) return null;
  return `The key goes unencrypted to ${new URL(open).host}: anyone on the way can read it. Use https:// if the service offers it.`;
}
