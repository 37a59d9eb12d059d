/**
 * `npm run dev`: changes in renderer/ are swapped into the open window; a change in main/ or preload/ restarts the application. Closing
 * the window, or Ctrl+C, ends everything.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { ROOT } from '../runStage.ts';
import { startPageServer } from './pageServer.ts';

const QUIET_MS = 300;
/** The window itself comes from the page server. */
const BUILT = ['dev', 'preload'];

/** Opens the application; `env` says where the window comes from. */
export type Open = (env: Readonly<Record<string, string>>) => ChildProcess;

/** Watches the sources until the window is closed. If the application crashes, waits for the next change. */
export async function develop(open: Open): Promise<void> {
  const running: { app: ChildProcess | null } = { app: null };
  const pages = await startPageServer(() => running.app?.send('reload'));
  const builder = spawn(process.execPath, ['build/build.ts', ...BUILT, '--watch'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let timer: NodeJS.Timeout | undefined;
  let [reopening, ending] = [false, false];
  const closed = (code: number | null): void => {
    running.app = null;
    if (reopening && !ending) return launch();
    if (code === 0 || ending) return void builder.kill();
    process.stdout.write('The application failed; the next change opens it again.\n');
  };
  const launch = (): void => {
    reopening = false;
    running.app = open(pages.env).on('close', closed);
  };
  const reopen = (): void => {
    if (running.app === null) return launch();
    // The next one can only start after this one has released the data directory.
    reopening = true;
    running.app.kill();
  };
  builder.on('message', () => {
    clearTimeout(timer);
    timer = setTimeout(reopen, QUIET_MS);
  });
  const end = (): void => {
    ending = true;
    builder.kill();
  };
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  await new Promise((resolve) => builder.on('close', resolve));
  ending = true;
  clearTimeout(timer);
  running.app?.kill();
  await pages.close();
}
