/** Whether a directory can be watched: its real path, and whether it can be listed. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { Result } from '../core/errors.ts';
import { fileError, isGone, listCode } from '../core/errno.ts';
import { encodePath } from './names/pathBytes.ts';
import { realPathOf } from './realPathOf.ts';

async function lookAtDirectory(path: string): Promise<Result<string>> {
  try {
    const real = await realPathOf(path);
    if (!(await stat(encodePath(real))).isDirectory()) {
      return { ok: false, error: fileError('item.unsupported', path) };
    }
    await access(encodePath(real), constants.R_OK | constants.X_OK);
    return { ok: true, value: real };
  } catch (error) {
    const code = isGone(error) ? 'item.gone' : listCode(error);
    return { ok: false, error: fileError(code, path, error) };
  }
}

/**
 * Creates the check. While the check of a path runs, further calls for this path return the same check, so that a network drive that hangs
 * blocks only one thread.
 */
export function createDirectoryCheck(): (path: string) => Promise<Result<string>> {
  const open = new Map<string, Promise<Result<string>>>();
  return (path) => {
    const present = open.get(path);
    if (present !== undefined) return present;
    const work = lookAtDirectory(path).finally(() => open.delete(path));
    open.set(path, work);
    return work;
  };
}
