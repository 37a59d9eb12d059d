/** Where the ledger, settings and logs stand, and how that place is made. */
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SluiceFailure } from './errors.ts';
import { errnoOf, fileError, writeCode } from './errno.ts';

/** The platform's folder for application data, or what SLUICE_DATA_DIR says. */
export function defaultDataDirectory(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const named = environment['SLUICE_DATA_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  const home = homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Sluice');
  if (platform === 'win32') {
    return join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Sluice');
  }
  return join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'sluice');
}

/** Makes a directory and its parents, readable by their owner alone. Throws what the file system says; never hangs as Node's own way does under /proc. */
export function makePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && isDirectory(path)) return;
    const parent = dirname(path);
    if (errno !== 'ENOENT' || parent === path || isDirectory(parent)) throw error;
    makePrivateDirectory(parent);
    makePrivateDirectory(path);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes the data directory. Throws disk.full or disk.failed. */
export function makeDataDirectory(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw new SluiceFailure(fileError(writeCode(error), directory, error));
  }
}

/** The ledger's file in a data directory. */
export function ledgerPath(directory: string): string {
  return join(directory, 'ledger.db');
}
