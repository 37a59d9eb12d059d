/** Makes a directory with all missing parents. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/**
 * Makes a directory and its parents; an existing one is fine. Throws the file system's error. Node's recursive mkdir never returns if an
 * existing directory refuses new ones with "not found" (/proc, automounts).
 */
export function makeWithParents(path: string): Promise<void> {
  return make(path, true);
}

async function make(path: string, mayMakeParent: boolean): Promise<void> {
  try {
    await mkdir(encodePath(path));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && (await isDirectory(path))) return;
    const parent = dirname(path);
    if (errno !== 'ENOENT' || parent === path || !mayMakeParent) throw error;
    if (!(await isDirectory(parent))) await makeWithParents(parent);
    // The parent exists now, made here or by another download: a second refusal is final.
    await make(path, false);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(encodePath(path))).isDirectory();
  } catch {
    return false;
  }
}
