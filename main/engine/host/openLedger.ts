/** Opens a ledger that another program may own, to write next to its owner or only to read. Never migrates it under its owner. */
import { hasLedger, ledgerPath, makeDataDirectory } from '../core/dataDirectory.ts';
import { caught, ok, type Result, sluiceError, SluiceFailure } from '../core/errors.ts';
import { describeOwner, takeOwnership } from '../store/ownership.ts';
import { openStore, type Store } from '../store/store.ts';

/** How long an owner that is just starting needs at most to create or migrate the ledger, in ms. Our choice. */
const OWNER_STARTS_MS = 3_000;

/** Opens the ledger if it exists and has this version; null otherwise. */
function openCurrent(path: string): Store | null {
  if (!hasLedger(path)) return null;
  try {
    return openStore(path, 'shared');
  } catch (error) {
    if (error instanceof SluiceFailure && error.error.code === 'store.older') return null;
    throw error;
  }
}

/**
 * Opens the ledger for writing next to its owner. If no program owns the directory, it is first created or migrated, as its owner
 * would do. Throws store.older while an older program owns it, store.owned while its owner has not created it yet, and what
 * openStore throws.
 */
export function openShared(directory: string): Store {
  makeDataDirectory(directory);
  const path = ledgerPath(directory);
  const current = openCurrent(path);
  if (current !== null) return current;
  const taken = takeOwnership(directory, `pid ${process.pid} (sluice)`, OWNER_STARTS_MS);
  if (!taken.ok) {
    const made = openCurrent(path);
    if (made !== null) return made;
    if (!hasLedger(path)) throw new SluiceFailure(taken.error);
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
 * Opens the ledger for a command that mostly reads; null when there is none. What the command learns about the service is saved if this
 * version may write to the ledger; an older ledger is read as a migrated copy.
 */
export function openIfExists(directory: string): Store | null {
  const path = ledgerPath(directory);
  return hasLedger(path) ? (openCurrent(path) ?? openStore(path, 'read')) : null;
}

/**
 * Opens the ledger for reading next to its owner; null when there is none yet. Writes nothing: a ledger of an older version is
 * read as a migrated copy. Errors: store.newer, store.corrupt, disk.*.
 */
export function openReader(directory: string): Result<Store | null> {
  const path = ledgerPath(directory);
  try {
    return ok(hasLedger(path) ? openStore(path, 'read') : null);
  } catch (error) {
    return caught(error);
  }
}
