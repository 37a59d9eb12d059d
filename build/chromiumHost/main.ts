/**
 * Runs a built Electron main under Node, with Chromium for its windows:
 * `node build/chromiumHost/main.ts out/main/main.js [--user-data-dir DIR] [--remote-debugging-port N] [arguments…]`.
 * For development and tests only; never shipped.
 */
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { app } from './app.ts';
import { announce, openControl } from './control.ts';
import { hostEvent } from './hostEvent.ts';
import { installElectron } from './hooks.ts';
import { becomeReady } from './life.ts';
import { readOptions, setOptions } from './options.ts';
import { standIn } from './standIn.ts';
import { reportTrouble } from './trouble.ts';

const HINT_AFTER_MS = 10_000;
const SAME_SIGNAL_MS = 1000;

const options = readOptions(process.argv.slice(2), process.env, process.platform);
setOptions(options);
pretendElectron(options.entry, options.rest);
installElectron(standIn);
openControl();
endCleanly();
app.on('web-contents-created', (_event, contents: NodeJS.EventEmitter) =>
  contents.on('did-finish-load', () => announce('page')),
);
await start();

async function start(): Promise<void> {
  // Real Electron hangs forever here, so the host must report it.
  const hint = setTimeout(() => {
    console.error(
      'The entry has not finished loading: does it await app.whenReady() at top level?',
    );
  }, HINT_AFTER_MS);
  try {
    await import(pathToFileURL(options.entry).href);
  } catch (error) {
    console.error(error);
    return app.exit(1);
  } finally {
    clearTimeout(hint);
  }
  becomeReady();
  app.emit('ready', hostEvent({}), {});
  announce('ready');
}

/** Sets what code checks to find out whether it runs in Electron's main process. */
function pretendElectron(entry: string, rest: readonly string[]): void {
  const read = createRequire(import.meta.url).resolve('electron/package.json');
  const manifest: unknown = JSON.parse(readFileSync(read, 'utf8'));
  const version = String(
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : '0',
  );
  const versions = { ...process.versions, electron: version, chrome: 'host' };
  Object.defineProperty(process, 'versions', { value: Object.freeze(versions) });
  Object.defineProperty(process, 'type', { value: 'browser' });
  Object.defineProperty(process, 'defaultApp', { value: true });
  process.argv = [process.execPath, entry, ...rest];
}

/** Signals quit, as on Electron; a second one, or an unhandled error, ends the process at once. */
function endCleanly(): void {
  // The host has no windows of its own to keep Node alive, which an application with only a tray needs.
  const alive = setInterval(() => undefined, 60_000);
  app.once('quit', () => clearInterval(alive));
  let askedAt = Infinity;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // One Ctrl+C can arrive twice, from the terminal and from npm.
      if (performance.now() - askedAt > SAME_SIGNAL_MS) return app.exit(1);
      askedAt = Math.min(askedAt, performance.now());
      app.quit();
    });
  }
  // Whoever read the output may end first. Reporting that as a failure would fail in the same way, without end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const fatal = (event: 'uncaughtException' | 'unhandledRejection', error: unknown): void => {
    reportTrouble(`Unhandled (${event}): ${String(error)}`);
    // As on Electron, an application that handles it itself decides what happens.
    if (process.listenerCount(event) > 1) return;
    console.error(`The application failed (${event}):`, error);
    app.exit(1);
  };
  process.on('uncaughtException', (error) => fatal('uncaughtException', error));
  process.on('unhandledRejection', (error) => fatal('unhandledRejection', error));
}
