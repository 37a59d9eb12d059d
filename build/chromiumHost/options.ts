/** What the host was started with. */
import { resolve } from 'node:path';

/** The host's own arguments; `rest` is passed to the application unchanged. */
export interface HostOptions {
  /** The application's built main, absolute. */
  readonly entry: string;
  readonly rest: readonly string[];
  readonly userDataDir: string | null;
  readonly remoteDebuggingPort: number | null;
  /** Chromium features to switch off, by Chromium's names. */
  readonly disableFeatures: string | null;
  readonly headless: boolean;
}

/**
 * Reads `ENTRY [arguments…]`. Chromium's switches may be anywhere, as `--name value` or `--name=value`. Without a display, or with
 * SLUICE_HEADLESS=1, there is no visible window.
 */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): HostOptions {
  const entry = argv.find((entry, at) => !entry.startsWith('--') && !isValueOf(argv, at));
  if (entry === undefined) throw new Error('The Chromium host needs the path of a built main.');
  const port = switchValue(argv, 'remote-debugging-port');
  const userData = switchValue(argv, 'user-data-dir');
  if (port !== null && !/^\d{1,5}$/.test(port)) {
    throw new Error(`--remote-debugging-port needs a number, not "${port}".`);
  }
  const needsDisplay = platform === 'linux';
  const noDisplay = !env['DISPLAY'] && !env['WAYLAND_DISPLAY'];
  return {
    entry: resolve(entry),
    rest: argv.filter((_entry, at) => at !== argv.indexOf(entry)),
    userDataDir: userData === null || userData === '' ? null : resolve(userData),
    remoteDebuggingPort: port === null ? null : Number(port),
    disableFeatures: switchValue(argv, 'disable-features'),
    headless: env['SLUICE_HEADLESS'] === '1' || (needsDisplay && noDisplay),
  };
}

const VALUED = ['user-data-dir', 'remote-debugging-port', 'disable-features'];

function isValueOf(argv: readonly string[], at: number): boolean {
  return VALUED.some((name) => argv[at - 1] === `--${name}`);
}

/** The value of a switch: the text after `=` or the next argument; null when the switch is absent. */
export function switchValue(argv: readonly string[], name: string): string | null {
  for (const [at, entry] of argv.entries()) {
    if (entry.startsWith(`--${name}=`)) return entry.slice(name.length + 3);
    if (entry === `--${name}`) return VALUED.includes(name) ? (argv[at + 1] ?? '') : '';
  }
  return null;
}

let current: HostOptions | null = null;

/** Sets the options of this process, once, before the application is imported. */
export function setOptions(options: HostOptions): void {
  current = options;
}

/** The options of this process. */
export function options(): HostOptions {
  if (current === null) throw new Error('The Chromium host was not started through main.ts.');
  return current;
}
