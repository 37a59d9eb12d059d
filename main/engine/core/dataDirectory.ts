/** Where the ledger, settings and logs are kept, and how that directory is made. */
import { accessSync, constants, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { diskFailure, errnoOf, isGone } from './errno.ts';
import { sluiceError, SluiceFailure } from './errors.ts';
import type { Environment } from './ports.ts';

/** The folder that a variable names; null when it names none. The XDG specification says to ignore relative paths. */
function folderIn(environment: Environment, name: string): string | null {
  const path = environment[name] ?? '';
  return isAbsolute(path) ? path : null;
}

/**
 * Earlier versions kept the ledger in the Windows roaming profile, which is copied over the network at each log-in. The ledger is moved
 * once. If that is not possible, because it is in use or on another drive, it is used where it is.
 */
function withoutRoaming(local: string, roaming: string): string {
  if (existsSync(ledgerPath(local)) || !existsSync(ledgerPath(roaming))) return local;
  try {
    mkdirSync(dirname(local), { recursive: true });
    renameSync(roaming, local);
    return local;
  } catch {
    return roaming;
  }
}

/**
 * This user's home directory: what the environment says, else what the system knows. A relative path would put the ledger into the
 * directory in which a command happens to run, perhaps among the files to upload. Throws usage.invalid when there is none.
 */
export function homeDirectory(): string {
  for (const ask of [homedir, () => userInfo().homedir]) {
    try {
      const home = ask();
      if (isAbsolute(home)) return home;
    } catch {
      // The system does not know this user.
    }
  }
  const said = 'this user has no home directory: set HOME, or name a data folder with --data-dir';
  throw new SluiceFailure(sluiceError('usage.invalid', { said }));
}

/** The platform's folder for local application data, or what SLUICE_DATA_DIR says. Throws usage.invalid when there is no home directory. */
export function defaultDataDirectory(
  platform: NodeJS.Platform,
  environment: Environment,
  home: () => string = homeDirectory,
): string {
  const named = environment['SLUICE_DATA_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  if (platform === 'darwin') return join(home(), 'Library', 'Application Support', 'Sluice');
  if (platform === 'win32') {
    const local = folderIn(environment, 'LOCALAPPDATA') ?? join(home(), 'AppData', 'Local');
    const roaming = folderIn(environment, 'APPDATA') ?? join(home(), 'AppData', 'Roaming');
    return withoutRoaming(join(local, 'Sluice'), join(roaming, 'Sluice'));
  }
  return join(folderIn(environment, 'XDG_DATA_HOME') ?? join(home(), '.local', 'share'), 'sluice');
}

/** Makes a directory and its parents for the owner only. Throws the system's error. Node's recursive option hangs under /proc. */
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
    throw diskFailure(error, directory);
  }
}

export function ledgerPath(directory: string): string {
  return join(directory, 'ledger.db');
}

/** Whether there is a ledger. Throws disk.failed when this user may not read it: it must not look as if there was nothing. */
export function hasLedger(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw diskFailure(error, path);
  }
}
