/** Only the owner may read the data directory: it holds paths, signed addresses, secrets. On Windows, inherited permissions stay. */
import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;
const hasRights = process.platform !== 'win32';

/** Files that Sluice makes in its data directory, and in `logs` below it. */
const OWN_FILES = /^(ledger\.db|lock\.db|owner\.txt|pause\.json|sluice\.log|window\.)/;

/** True when other users may access the path. Also false when that cannot be determined: the use of the path then fails with a reason. */
export function isOpen(path: string): boolean {
  try {
    return hasRights && (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}

/** Removes other users' permissions on a file. A file that does not exist or belongs to another user is left alone. */
export function makePrivate(path: string): void {
  try {
    // Never opened for this: closing a file that SQLite has open in this process would drop its locks.
    if (isOpen(path)) chmodSync(path, 0o600);
  } catch {
    // Another user's file, or a file system without permissions.
  }
}

/**
 * Makes an empty file with mode 0600, never readable by others; makes an existing one private. A failure is not reported here, but by the
 * code that writes to the file.
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

/** Sluice's files in a data directory that others may read. */
export function openFiles(directory: string): readonly string[] {
  return [directory, join(directory, 'logs')].flatMap((place) =>
    namesIn(place)
      .filter((name) => OWN_FILES.test(name))
      .map((name) => join(place, name))
      .filter((path) => isOpen(path)),
  );
}

/** Makes private what earlier runs or versions left readable by others. */
export function closeOwnFiles(directory: string): void {
  for (const path of openFiles(directory)) makePrivate(path);
}

/** The warning about such a folder. Pure. */
export function openFolderSentence(directory: string): string {
  return `Other users of this computer can list the data folder. Its files stay private. To close the folder: chmod 700 ${directory}`;
}
