/**
 * Syncs the ledger's write-ahead log to disk off the main thread. SQLite appends to that file in order, with checksums: once it is synced,
 * every transaction that was committed before the sync survives a power cut. SQLite's locks are on other files, so a second descriptor for
 * this one does no harm.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { errnoOf, writeCode } from '../core/errno.ts';
import { sluiceError, SluiceFailure } from '../core/errors.ts';

/** Opens the log for syncing; null when that is not possible: then SQLite has to sync by itself. */
export function openSyncer(walPath: string) {
  let fd: number;
  try {
    // Windows flushes only files opened for writing.
    fd = openSync(walPath, 'r+');
  } catch {
    return null;
  }
  const failureOf = (error: unknown): SluiceFailure =>
    new SluiceFailure(
      sluiceError(writeCode(error), { said: `${walPath}: ${errnoOf(error) ?? String(error)}` }),
    );
  let running = 0;
  let closing = false;
  const letGo = (): void => {
    if (closing && running === 0) closeSync(fd);
  };
  return {
    /** Resolves when everything written before the call is on disk. Rejects with disk.full, disk.failed. */
    sync: () =>
      new Promise<void>((resolve, reject) => {
        running += 1;
        fdatasync(fd, (error) => {
          running -= 1;
          letGo();
          if (error === null) resolve();
          else reject(failureOf(error));
        });
      }),
    /** The same, blocking the caller: throws. */
    syncNow: () => {
      try {
        fdatasyncSync(fd);
      } catch (error) {
        throw failureOf(error);
      }
    },
    /** Closes the file, after any sync that is still running. */
    close: () => {
      closing = true;
      letGo();
    },
  };
}
