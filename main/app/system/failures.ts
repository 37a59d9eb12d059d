/** Unhandled exceptions: log, restart, show a notice. After several crashes in a short time, show a dialog instead of restarting. */
import { app, dialog } from 'electron';
import { drop } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/ports.ts';
import { HIDDEN } from './autoStart.ts';
import type { SettingsFile } from './settingsFile.ts';

/** Restarts allowed within the time below. Our choice: a restart does not help against a crash that recurs at once. */
const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 10 * 60_000;
/** Sockets and lanes close within a second; anything that hangs is abandoned, as in a power cut. */
const STOP_MS = 5_000;
const MAX_STACK_CHARACTERS = 4_000;

/** The recent crashes including this one, and whether to restart. Pure. */
export function afterFailure(
  earlier: readonly number[],
  now: number,
): { readonly mayRestart: boolean; readonly at: number[] } {
  const recent = earlier.filter((at) => at <= now && now - at < RESTART_WINDOW_MS);
  return { mayRestart: recent.length < MAX_RESTARTS, at: [...recent, now].slice(-MAX_RESTARTS) };
}

/** The arguments for the restart: hidden when no window was open. Pure. */
export function restartArguments(argv: readonly string[], visible: boolean): string[] {
  const args = argv.slice(1).filter((arg) => arg !== HIDDEN);
  return visible ? args : [...args, HIDDEN];
}

export interface FailureContext {
  readonly log: Log;
  readonly settingsFile: SettingsFile;
  readonly logPath: string;
  /** The program to start, when it is not this process's own executable. */
  readonly program: string | undefined;
  now(): number;
  visible(): boolean;
  /** True once the program is already quitting. */
  ending(): boolean;
  stop(): Promise<void>;
}

function factsOf(thrown: unknown): { said: string; stack: string } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { said: error.message, stack: (error.stack ?? '').slice(0, MAX_STACK_CHARACTERS) };
}

async function restartOrStop(context: FailureContext): Promise<void> {
  const { settingsFile } = context;
  const { mayRestart, at } = afterFailure(settingsFile.read().failures.at, context.now());
  settingsFile.write({ failures: { at, told: !mayRestart } });
  const args = restartArguments(process.argv, context.visible());
  const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS));
  await Promise.race([context.stop().catch(() => undefined), limit]);
  if (mayRestart) {
    app.relaunch({ args, ...(context.program === undefined ? {} : { execPath: context.program }) });
    return app.exit(0);
  }
  dialog.showErrorBox(
    'Sluice has stopped',
    `It crashed ${MAX_RESTARTS + 1} times in a short time, so it does not restart by itself. Your files are safe: nothing is lost or sent twice, and the next start continues where this one stopped. The log has the details: ${context.logPath}.`,
  );
  app.exit(1);
}

/** Handles uncaught exceptions. Until the context is given, an exception ends the program with a dialog. */
export function watchFailures(): (context: FailureContext) => void {
  let context: FailureContext | null = null;
  let failing = false;
  const fail = (thrown: unknown): void => {
    const facts = factsOf(thrown);
    if (context === null) {
      dialog.showErrorBox('Sluice cannot start', facts.said);
      return app.exit(1);
    }
    context.log.write('error', 'app.failed', facts);
    // During shutdown one failure causes others.
    if (failing || context.ending()) return;
    failing = true;
    drop(restartOrStop(context).catch(() => app.exit(1)));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return (given) => (context = given);
}

/** Adds a one-time notice that the program crashed and restarted. */
export function noticeFailure(file: SettingsFile, add: (id: string, text: string) => void): void {
  const { failures } = file.read();
  if (failures.told) return;
  file.write({ failures: { ...failures, told: true } });
  add(
    'failed',
    'Sluice crashed and restarted. Nothing is lost or sent twice; uploads continue. The log has the details.',
  );
}
