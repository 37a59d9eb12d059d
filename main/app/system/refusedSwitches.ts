/** Command-line switches that an installed program refuses: those that open it to other programs or weaken the window's security. */

const REFUSED =
  /^(?:remote-debugging-(?:port|pipe|address)|remote-allow-origins|inspect(?:-[a-z-]+)?|debug(?:-[a-z-]+)?|user-data-dir|js-flags|load-extension|disable-web-security|disable-site-isolation-trials|disable-features|ignore-certificate-errors|allow-file-access-from-files|unsafely-treat-insecure-origin-as-secure|host-rules|host-resolver-rules|browser-subprocess-path|(?:renderer|utility|gpu|zygote)-(?:cmd-prefix|launcher)|log-net-log)$/i;

/** The first refused switch in `argv`, as written; null when there is none. Pure. */
export function refusedSwitch(argv: readonly string[]): string | null {
  for (const word of argv.slice(1)) {
    // Chromium reads no switches after it.
    if (word === '--') return null;
    const name = /^(?:--?|\/)([^=]+)/.exec(word)?.[1];
    if (name !== undefined && REFUSED.test(name)) return word;
  }
  return null;
}
