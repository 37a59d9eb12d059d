/** What SQLite's errors mean to a person. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ErrorCode, sluiceError, SluiceFailure } from '../core/errors.ts';

/** SQLite's result code when a file cannot be opened. */
export const CANNOT_OPEN = 14;
/** The same for a file that does not exist yet and that this user may not make (SQLITE_READONLY_DIRECTORY). */
export const CANNOT_MAKE = 1544;

/** SQLite's result codes that mean something to a person: whole codes, or primary codes (the low byte). */
const SQLITE_MEANINGS: Readonly<Record<number, ErrorCode>> = {
  8: 'disk.failed',
  10: 'disk.failed',
  11: 'store.corrupt',
  13: 'disk.full',
  [CANNOT_OPEN]: 'disk.failed',
  26: 'store.corrupt',
  // SQLITE_IOERR_SHMSIZE: the file that readers and writers share could not grow, which happens only on a full disk.
  4874: 'disk.full',
};

/** How many more files can be made on the disk of a path; null when the disk has no limit, or does not say. */
function filesLeft(path: string): number | null {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    return files === 0 ? null : ffree;
  } catch {
    return null;
  }
}

/** SQLite's result code of an error; 0 for an error that is not SQLite's. */
export function resultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return Number(error.errcode);
}

/** Maps an error of SQLite to disk.full, disk.failed or store.corrupt; returns any other error unchanged. */
export function storeFailure(error: unknown, path?: string, left = filesLeft): unknown {
  const result = resultCode(error);
  if (result === CANNOT_OPEN && path !== undefined && left(path) === 0) {
    const said = `no more files can be made in ${dirname(path)}`;
    return new SluiceFailure(sluiceError('disk.full', { said }));
  }
  const code = SQLITE_MEANINGS[result] ?? SQLITE_MEANINGS[result & 0xff];
  if (code === undefined || !(error instanceof Error)) return error;
  const said = path === undefined ? error.message : `${path}: ${error.message}`;
  return new SluiceFailure(sluiceError(code, { said }));
}
