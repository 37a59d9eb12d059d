/** The directory where an archive is unpacked until it is complete, and how it gets its final name. */
import { lstat, mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import { syncDirectory } from '../write/syncDirectory.ts';
import { errnoOf } from '../../core/errno.ts';
import { checksumsOf } from '../read/checksums.ts';
import { makeWithParents } from '../write/makeWithParents.ts';
import { ASYNC_CALLS, typeAt } from '../write/writeCalls.ts';
import { encodePath } from '../names/pathBytes.ts';

/** Marks a directory as our own unfinished work. No member can have this name: leading dots are replaced. */
const MARK = '.sluice-unpacking';
const MAX_PLACES = 9;

async function exists(path: string): Promise<boolean> {
  return (await typeAt(ASYNC_CALLS, encodePath(path))) !== 'none';
}

/**
 * Makes the directory, replacing one that was left by an earlier crash; false when the name belongs to something that Sluice did not make.
 */
async function takePlace(path: string): Promise<boolean> {
  if (await exists(path)) {
    if (!(await lstat(encodePath(path))).isDirectory()) return false;
    const empty = (await readdir(encodePath(path))).length === 0;
    if (!empty && !(await exists(join(path, MARK)))) return false;
    await rm(encodePath(path), { recursive: true, force: true });
  }
  await mkdir(encodePath(path));
  await writeFile(encodePath(join(path, MARK)), '', { flag: 'wx' });
  return true;
}

/** Makes an empty marked directory next to the final one. */
export async function makePlace(directory: string): Promise<string> {
  await makeWithParents(dirname(directory));
  for (let count = 1; count <= MAX_PLACES; count += 1) {
    const path = `${directory}${count === 1 ? '' : `-${count}`}.unpacking`;
    if (await takePlace(path)) return path;
  }
  throw new SluiceFailure(sluiceError('disk.failed', { path: directory, reason: 'names taken' }));
}

/** True where names that differ only in case are the same file. */
export async function ignoresCase(place: string): Promise<boolean> {
  return exists(join(place, MARK.toUpperCase()));
}

export async function dropPlace(place: string): Promise<void> {
  await rm(encodePath(place), { recursive: true, force: true });
}

async function contentOf(path: string): Promise<string | null> {
  if ((await typeAt(ASYNC_CALLS, encodePath(path))) !== 'file') return null;
  const sums = await checksumsOf(path, { md5: false, sha256: true });
  if (sums.ok) return sums.value.sha256;
  if (sums.error.code === 'item.gone') return null;
  throw new SluiceFailure(sums.error);
}

async function holdsSame(
  directory: string,
  place: string,
  files: readonly string[],
): Promise<boolean> {
  for (const file of files) {
    const there = await contentOf(join(directory, file));
    if (there === null || there !== (await contentOf(join(place, file)))) return false;
  }
  return true;
}

/** Removes the directory if it is empty; true when the name is free now. */
async function clearEmpty(directory: string): Promise<boolean> {
  try {
    await rmdir(encodePath(directory));
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/**
 * Gives the complete directory its final name. If a directory with exactly these files has that name already (after a crash), this counts
 * as done; anything else there gives disk.failed.
 */
export async function settlePlace(
  place: string,
  directory: string,
  files: readonly string[],
): Promise<void> {
  if (await clearEmpty(directory)) {
    await rename(encodePath(place), encodePath(directory));
    await syncDirectory(dirname(directory));
  } else if (await holdsSame(directory, place, files)) {
    await dropPlace(place);
  } else {
    const context = { path: directory, reason: 'another directory is there' };
    throw new SluiceFailure(sluiceError('disk.failed', context));
  }
  // The mark is removed last: after a crash before this line, the directory is recognisable as ours.
  await rm(encodePath(join(directory, MARK)), { force: true });
}
