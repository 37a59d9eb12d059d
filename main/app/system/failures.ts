/**
 * What the program does when it fails by itself, an exception that nobody handles: it writes that down, starts again with its queue,
 * and says so; after a few failures in a row it stays away and says that.
 */
import { app, dialog } from 'electron';
import { drop } from '../../engine/core/drop.ts';
import type { Log } from '../../engine/core/ports.ts';
import { HIDDEN } from './autoStart.ts';
import type { SettingsFile } from './settingsFile.ts';

/** So often within the time below it starts again by itself. Ours: a failure that comes back at once is not cured by a start. */
const STARTS_MOST = 3;
const TIME_MS = 10 * 60_000;
/** Sockets and lanes end within a second; what hangs is left behind, as by a power cut. */
const STOP_MS = 5_000;
const SAID_CHARACTERS = 4_000;

/** The failures that still count with the one of now, and whether to start again. Pure. */
export function afterFailure(
  earlier: readonly number[],
  now: number,
): { readonly again: boolean; readonly at: number[] } {
  const recent = earlier.filter((at) => at <= now && now - at < TIME_MS);
  return { again: recent.length < STARTS_MOST, at: [...recent, now].slice(-STARTS_MOST) };
}

/** The words of the next start: a window stays away when there was none. Pure. */
export function wordsOfStart(argv: readonly string[], visible: boolean): string[] {
  const words = argv.slice(1).filter((word) => word !== HIDDEN);
  return visible ? words : [...words, HIDDEN];
}

/** What is needed to end well and to start again. */
export interface FailureMeans {
  readonly log: Log;
  readonly settingsFile: SettingsFile;
  readonly logPath: string;
  /** The program that runs, where that is not this process's own file. */
  readonly program: string | undefined;
  now(): number;
  visible(): boolean;
  /** True once the program ends anyway. */
  ending(): boolean;
  stop(): Promise<void>;
}

function factsOf(thrown: unknown): { said: string; stack: string } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { said: error.message, stack: (error.stack ?? '').slice(0, SAID_CHARACTERS) };
}

async function startAgainOrStay(means: FailureMeans): Promise<void> {
  const { settingsFile } = means;
  const { again, at } = afterFailure(settingsFile.read().failures.at, means.now());
  settingsFile.write({ failures: { at, told: !again } });
  const args = wordsOfStart(process.argv, means.visible());
  const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS));
  await Promise.race([means.stop().catch(() => undefined), limit]);
  if (again) {
    app.relaunch({ args, ...(means.program === undefined ? {} : { execPath: means.program }) });
    return app.exit(0);
  }
  dialog.showErrorBox(
    'Sluice has stopped',
    `It failed ${STARTS_MOST + 1} times in a short while, so it does not start again by itself. Your files are safe: nothing is lost or sent twice, and the next start goes on where this one stopped. What went wrong stands in ${means.logPath}.`,
  );
  app.exit(1);
}

/** Takes over what nobody handles. Until the means are given, a failure ends the program with a word about it. */
export function watchFailures(): (means: FailureMeans) => void {
  let means: FailureMeans | null = null;
  let failing = false;
  const fail = (thrown: unknown): void => {
    const facts = factsOf(thrown);
    if (means === null) {
      dialog.showErrorBox('Sluice cannot start', facts.said);
      return app.exit(1);
    }
    means.log.write('error', 'app.failed', facts);
    // One failure brings others along while everything ends.
    if (failing || means.ending()) return;
    failing = true;
    drop(startAgainOrStay(means).catch(() => app.exit(1)));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return (given) => (means = given);
}

/** Says after a failure that the program has started again; once. */
export function tellFailure(file: SettingsFile, say: (id: string, text: string) => void): void {
  const { failures } = file.read();
  if (failures.told) return;
  file.write({ failures: { ...failures, told: true } });
  say(
    'failed',
    'Sluice failed by itself and has started again. Nothing is lost or sent twice; what waited goes on. The log says what went wrong.',
  );
}
