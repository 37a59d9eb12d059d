/**
 * One owner per data directory: an exclusive transaction held on lock.db. The kernel releases it when the owner dies, however it dies.
 * owner.txt names the owner; it is only for display.
 */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail, ok, type Result } from '../core/errors.ts';
import { makePrivate, makePrivateFile } from '../core/privateFiles.ts';
import { resultCode, storeFailure } from './storeFailure.ts';

export interface Ownership {
  release(): void;
}

const SQLITE_BUSY = 5;
/** The file is no database, or a damaged one. */
const SQLITE_DAMAGED: readonly number[] = [11, 26];

/** What the current owner wrote about itself: "pid 123 (sluice upload)"; null when there is nothing. */
export function describeOwner(dataDirectory: string): string | null {
  try {
    return readFileSync(join(dataDirectory, 'owner.txt'), 'utf8').slice(0, 200).trim();
  } catch {
    return null;
  }
}

/** How long to wait for the lock, in ms: a program that checks who owns the directory holds it only for a moment, an owner keeps it. */
const LOOK_MS = 200;

function lockOf(path: string, waitMs: number): DatabaseSync {
  const lock = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Nothing is ever written to it, so it needs no journal, which would have to be synced.
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** As lockOf. A file that was damaged by a disk fault is emptied: if there were an owner, the file could not have been read at all. */
function repairedLockOf(path: string, waitMs: number): DatabaseSync {
  try {
    return lockOf(path, waitMs);
  } catch (error) {
    if (!SQLITE_DAMAGED.includes(resultCode(error) & 0xff)) throw error;
    truncateSync(path);
    return lockOf(path, waitMs);
  }
}

/**
 * Takes ownership of the data directory, waiting at most `waitMs`. Returns store.owned, with who holds it, when another program
 * does; throws any other error of SQLite.
 */
export function takeOwnership(
  dataDirectory: string,
  who: string,
  waitMs = LOOK_MS,
): Result<Ownership> {
  let held: DatabaseSync;
  const path = join(dataDirectory, 'lock.db');
  try {
    makePrivateFile(path);
    held = repairedLockOf(path, waitMs);
  } catch (error) {
    if ((resultCode(error) & 0xff) !== SQLITE_BUSY) throw storeFailure(error, path);
    return fail('store.owned', { said: describeOwner(dataDirectory) });
  }
  try {
    makePrivate(join(dataDirectory, 'owner.txt'));
    writeFileSync(join(dataDirectory, 'owner.txt'), `${who}\n`, { mode: 0o600 });
  } catch {
    // The file is only for display; a full disk is reported where it matters.
  }
  return ok({ release: () => held.close() });
}
