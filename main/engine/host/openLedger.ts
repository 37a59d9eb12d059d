/** Opening a ledger that another program may own: to write beside it, or only to read. It is never migrated under its owner. */
import { existsSync } from 'node:fs';
import { ledgerPath, makeDataDirectory } from '../core/dataDirectory.ts';
import { ok, type Result, sluiceError, SluiceFailure } from '../core/errors.ts';
import { describeOwner, takeOwnership } from '../store/ownership.ts';
import { openStore, type Store } from '../store/store.ts';

/** An owner that just starts makes or migrates the ledger within this time, ms. Ours. */
const OWNER_STARTS_MS = 3_000;

function isOlder(error: unknown): boolean {
  return error instanceof SluiceFailure && error.error.code === 'store.older';
}

/** Opens it when it is there and of this version; null otherwise. */
function openCurrent(path: string): Store | null {
  if (!existsSync(path)) return null;
  try {
    return openStore(path, 'beside');
  } catch (error) {
    if (isOlder(error)) return null;
    throw error;
  }
}

/**
 * Opens the ledger for writing beside its owner. Where no program owns the directory, it is made or migrated first, as its owner
 * would do. Throws store.older while an older program owns it, store.owned while an owner has not made it yet, and what
 * openStore throws.
 */
export function openBeside(directory: string): Store {
  makeDataDirectory(directory);
  const path = ledgerPath(directory);
  const current = openCurrent(path);
  if (current !== null) return current;
  const taken = takeOwnership(directory, `pid ${process.pid} (sluice)`, OWNER_STARTS_MS);
  if (!taken.ok) {
    const made = openCurrent(path);
    if (made !== null) return made;
    if (!existsSync(path)) throw new SluiceFailure(taken.error);
    const owner = describeOwner(directory) ?? 'unknown';
    throw new SluiceFailure(sluiceError('store.older', { said: `it is ${owner}` }));
  }
  try {
    return openStore(path);
  } finally {
    taken.value.release();
  }
}

/**
 * Opens the ledger for a command that mostly reads: null when there is none. What it learns is kept where this version may write;
 * an older ledger is read as a migrated copy.
 */
export function openIfThere(directory: string): Store | null {
  const path = ledgerPath(directory);
  return existsSync(path) ? (openCurrent(path) ?? openStore(path, 'read')) : null;
}

/**
 * Opens the ledger for reading beside its owner; null when there is none yet. Writes nothing: a ledger of an older version is read
 * as a migrated copy. Errors: store.newer, store.corrupt, disk.*.
 */
export function openReader(directory: string): Result<Store | null> {
  const path = ledgerPath(directory);
  if (!existsSync(path)) return ok(null);
  try {
    return ok(openStore(path, 'read'));
  } catch (error) {
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  }
}
