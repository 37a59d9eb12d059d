/**
 * Files and directories that a passing condition keeps us from: a lock, a network drive that hiccups. Each is tried again
 * after pauses that grow, on a clock that never jumps. What lasts is reported as a problem once, and still tried again.
 */
import {
  FILE_BUSY_FIRST_MS,
  FILE_BUSY_MAX_MS,
  FILE_BUSY_TRIES,
  SHORTAGE_TRIES,
} from '../../core/limits.ts';

/** Ms to wait after this many tries in a row, at least 1. Pure. */
export function busyPauseMs(tries: number): number {
  return Math.min(FILE_BUSY_MAX_MS, FILE_BUSY_FIRST_MS * 2 ** Math.min(20, tries - 1));
}

interface Busy {
  readonly isDirectory: boolean;
  readonly tries: number;
  readonly nextAt: number;
}

export interface BusyPlaces {
  /**
   * A look failed for a passing reason. True, once, when it has failed so often that it must be reported. A shortage of open
   * files says nothing about the place: it is not counted.
   */
  failed(path: string, isDirectory: boolean, now: number, isShortage?: boolean): boolean;
  /** A look had another outcome. True when the path had been reported. */
  ended(path: string): boolean;
  /** The same for every directory but those that failed. True when any of them had been reported. */
  endDirectories(failed: ReadonlySet<string>): boolean;
  /** Paths whose next look is due; each is answered once, then by its next failure. */
  due(now: number): { readonly files: readonly string[]; readonly directories: readonly string[] };
  /** When the next look is due, monotonic ms; null without any. */
  nextAt(): number | null;
  /** Paths that are still expected to come right by themselves. */
  expected(): number;
  clear(): void;
}

export function createBusyPlaces(): BusyPlaces {
  const places = new Map<string, Busy>();
  let reported = 0;
  const remove = (path: string): boolean => {
    const busy = places.get(path);
    if (busy === undefined) return false;
    const wasReported = busy.tries >= FILE_BUSY_TRIES;
    if (wasReported) reported -= 1;
    places.delete(path);
    return wasReported;
  };
  return {
    failed: (path, isDirectory, now, isShortage = false) => {
      const before = places.get(path)?.tries ?? 0;
      const tries = isShortage ? before : before + 1;
      const pauseMs = busyPauseMs(isShortage ? SHORTAGE_TRIES : tries);
      places.set(path, { isDirectory, tries, nextAt: now + pauseMs });
      if (isShortage || tries !== FILE_BUSY_TRIES) return false;
      reported += 1;
      return true;
    },
    ended: remove,
    endDirectories: (failed) => {
      let any = false;
      for (const [path, { isDirectory }] of places) {
        if (isDirectory && !failed.has(path) && remove(path)) any = true;
      }
      return any;
    },
    due: (now) => {
      const files: string[] = [];
      const directories: string[] = [];
      for (const [path, busy] of places) {
        if (busy.nextAt > now) continue;
        // Kept with its tries: the look that follows fails again, or ends it.
        places.set(path, { ...busy, nextAt: now + FILE_BUSY_MAX_MS });
        (busy.isDirectory ? directories : files).push(path);
      }
      return { files, directories };
    },
    nextAt: () => {
      let next: number | null = null;
      for (const { nextAt } of places.values()) next = Math.min(next ?? nextAt, nextAt);
      return next;
    },
    expected: () => places.size - reported,
    clear: () => {
      places.clear();
      reported = 0;
    },
  };
}
