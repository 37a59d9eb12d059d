/**
 * Files of the data directory are for their owner alone: they hold paths, signed addresses and secrets. Windows keeps what the
 * folder inherits.
 */
import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;
const hasRights = process.platform !== 'win32';

/** Files that Sluice makes in its data directory, and in `logs` below it. */
const OWN_FILES = /^(ledger\.db|lock\.db|owner\.txt|sluice\.log|window\.)/;

function isOpen(path: string): boolean {
  const facts = hasRights ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return facts !== undefined && (facts.mode & OTHERS) !== 0;
}

/** Removes the rights of others to a file. One that is not there, or belongs to another user, is left alone. */
export function makePrivate(path: string): void {
  try {
    // Never opened for this: closing a file that SQLite holds in this process would drop its locks.
    if (isOpen(path)) chmodSync(path, 0o600);
  } catch {
    // The file of another user, or a file system without rights.
  }
}

/**
 * Makes an empty file with mode 0600, so that it is never readable by others, not even for a moment; closes one that is there.
 * A file that cannot be made is left to its writer to report.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    makePrivate(path);
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Own files in a data directory that others may read. */
export function openFiles(directory: string): readonly string[] {
  return [directory, join(directory, 'logs')].flatMap((place) =>
    namesIn(place)
      .filter((name) => OWN_FILES.test(name))
      .map((name) => join(place, name))
      .filter((path) => isOpen(path)),
  );
}

/** Closes what earlier starts, or an earlier version, left readable by others. */
export function closeOwnFiles(directory: string): void {
  for (const path of openFiles(directory)) makePrivate(path);
}

/** True for a folder that others may look into. */
export function folderIsOpen(directory: string): boolean {
  try {
    return isOpen(directory);
  } catch {
    return false;
  }
}

/** What to say about such a folder. Pure. */
export function openFolderSentence(directory: string): string {
  return `Other users of this computer can list the data folder. Its files stay private. To close the folder: chmod 700 ${directory}`;
}
