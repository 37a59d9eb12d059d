/** Makes a directory with all missing parents. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/**
 * Makes a directory and its parents; an existing one is fine. Throws the file system's error. Node's recursive mkdir never returns if an
 * existing directory refuses new ones with "not found" (/proc, automounts).
 */
export async function makeWithParents(path: string): Promise<void> {
  const refused = await make(path);
  if (refused === null) return;
  const parent = dirname(path);
  if (errnoOf(refused) !== 'ENOENT' || parent === path) throw refused;
  if (!(await isDirectory(parent))) await makeWithParents(parent);
  // The parent exists now, made here or by another download: a second refusal is final.
  const again = await make(path);
  if (again !== null) throw again;
}

/** null when the directory exists, else the file system's error. */
async function make(path: string): Promise<Error | null> {
  try {
    await mkdir(encodePath(path));
    return null;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && (await isDirectory(path))) return null;
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(encodePath(path))).isDirectory();
  } catch {
    return false;
  }
}
