/** Files and directories that are blocked for now: retried after growing pauses, and reported once as a problem if that lasts. */
import { shortageOf } from '../../core/errno.ts';
import { fail, type Result, type SluiceError } from '../../core/errors.ts';
import { least } from '../../core/least.ts';
import {
  FILE_BUSY_FIRST_MS,
  FILE_BUSY_MAX_MS,
  FILE_BUSY_TRIES,
  SHORTAGE_TRIES,
} from '../../core/limits.ts';
import type { DirectoryListing } from '../../core/model.ts';
import type { Clock, Files } from '../../core/ports.ts';

/** How long to wait after this many failed tries in a row (at least 1), in ms. Pure. */
export function busyPauseMs(tries: number): number {
  return Math.min(FILE_BUSY_MAX_MS, FILE_BUSY_FIRST_MS * 2 ** Math.min(20, tries - 1));
}

interface Busy {
  readonly isDirectory: boolean;
  readonly tries: number;
  readonly nextAt: number;
}

export function createBusyPlaces() {
  const places = new Map<string, Busy>();
  return {
    /**
     * Records that a check failed for a temporary reason. Returns true once: when the failure must be reported. A shortage of open files
     * does not count as a try.
     */
    failed: (path: string, isDirectory: boolean, now: number, isShortage: boolean = false) => {
      const before = places.get(path)?.tries ?? 0;
      const tries = isShortage ? before : before + 1;
      const pauseMs = busyPauseMs(isShortage ? SHORTAGE_TRIES : tries);
      places.set(path, { isDirectory, tries, nextAt: now + pauseMs });
      return !isShortage && tries === FILE_BUSY_TRIES;
    },
    /** Records a check with any other outcome. True when the path had been reported. */
    ended: (path: string): boolean => {
      const wasReported = (places.get(path)?.tries ?? 0) >= FILE_BUSY_TRIES;
      places.delete(path);
      return wasReported;
    },
    /** The same as `ended` for every directory except those that failed. */
    endDirectories: (failed: ReadonlySet<string>) => {
      for (const [path, { isDirectory }] of places)
        if (isDirectory && !failed.has(path)) places.delete(path);
    },
    /** Paths whose next check is due. Each is returned once; its next failure schedules it again. */
    due: (
      now: number,
    ): { readonly files: readonly string[]; readonly directories: readonly string[] } => {
      const files: string[] = [];
      const directories: string[] = [];
      for (const [path, busy] of places) {
        if (busy.nextAt > now) continue;
        // Keep the entry and its count of tries: the check that follows either fails again or removes it.
        places.set(path, { ...busy, nextAt: now + FILE_BUSY_MAX_MS });
        (busy.isDirectory ? directories : files).push(path);
      }
      return { files, directories };
    },
    /** When the next check is due, in monotonic ms; null when there is none. */
    nextAt: () => least([...places.values()].map(({ nextAt }) => nextAt)),
    /** The paths that are still expected to recover without help. */
    expected: (): readonly string[] =>
      [...places].flatMap(([path, { tries }]) => (tries < FILE_BUSY_TRIES ? [path] : [])),
    clear: () => places.clear(),
  };
}

/**
 * The files port for a command that ends: its list() retries after file.busy. It fails with directory.unreadable if that lasts, or if the directory's drive
 * is away.
 */
export function withSteadyListing(
  files: Files,
  clock: Clock,
  signal: AbortSignal,
  missingDrive: (directory: string) => Promise<SluiceError | null>,
): Files {
  const list = async (directory: string): Promise<Result<DirectoryListing>> => {
    for (let tries = 1; ; tries += 1) {
      const listing = await files.list(directory);
      if (listing.ok || listing.error.code !== 'file.busy') return listing;
      const away = await missingDrive(directory);
      if (away !== null) return fail('directory.unreadable', away.context);
      // A shortage of open files says nothing about the directory: wait for it to end, however long it takes.
      const isShort = shortageOf(listing.error) !== null;
      if ((tries >= FILE_BUSY_TRIES && !isShort) || signal.aborted) {
        return fail('directory.unreadable', { ...listing.error.context, tries });
      }
      await clock.sleep(busyPauseMs(tries), signal);
    }
  };
  return { ...files, list };
}
