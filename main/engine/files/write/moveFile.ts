/** Moves a user's file, only when they asked for it: never over another file, and across disks only after a synced copy. */
import { constants } from 'node:fs';
import { copyFile, open, stat, unlink, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, ok, type Result } from '../../core/errors.ts';
import { syncDirectory } from './syncDirectory.ts';
import { errnoOf, writing } from '../../core/errno.ts';
import { makeWithParents } from './makeWithParents.ts';
import { encodePath } from '../names/pathBytes.ts';
import { tryLink } from './tryLink.ts';

async function copyOver(from: string, to: string): Promise<'done' | 'taken'> {
  try {
    await copyFile(encodePath(from), encodePath(to), constants.COPYFILE_EXCL);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'taken';
    throw error;
  }
  const { atime, mtime, size } = await stat(encodePath(from));
  const copy = await open(encodePath(to), 'r+');
  try {
    if ((await copy.stat()).size !== size) throw new Error('the copy has another size');
    await copy.sync();
  } finally {
    await copy.close();
  }
  await utimes(encodePath(to), atime, mtime);
  return 'done';
}

/** See Files.moveFile. Errors: item.changed when the name is taken, disk.full, disk.failed. */
export async function moveFile(from: string, to: string): Promise<Result<void>> {
  let taken = false;
  const moved = await writing(to, async () => {
    await makeWithParents(dirname(to));
    let how = await tryLink(from, to);
    if (how === 'elsewhere') how = await copyOver(from, to);
    taken = how === 'taken';
    if (taken) return;
    await syncDirectory(dirname(to));
    await unlink(encodePath(from));
    await syncDirectory(dirname(from));
  });
  if (!moved.ok) return moved;
  return taken ? fail('item.changed', { path: to }) : ok(undefined);
}
