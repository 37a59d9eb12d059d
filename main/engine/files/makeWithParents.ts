/** Makes a directory with all that is missing above it. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { encodePath } from './pathBytes.ts';

/**
 * Makes a directory and its parents; one that is there is fine. Throws what the file system says. Node's own way of making parents never
 * ends where a directory that is there refuses new ones as "not found" (/proc, automounts).
 */
export async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(encodePath(path));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && (await isDirectory(path))) return;
    const parent = dirname(path);
    if (errno !== 'ENOENT' || parent === path || (await isDirectory(parent))) throw error;
    await makeWithParents(parent);
    await makeWithParents(path);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(encodePath(path))).isDirectory();
  } catch {
    return false;
  }
}
