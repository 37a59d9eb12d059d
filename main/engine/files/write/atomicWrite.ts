/** Writing so that a reader, or a start after a power cut, finds either the old content or the new, never a part of it. */
import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Result } from '../../../../preload/contract/errors.ts';
import { errnoOf, writing } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** File systems and systems on which a directory cannot be synced say one of these; there the rename has to do. */
const CANNOT_SYNC = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'ENOTSUP', 'EBADF']);

/** Opens a directory to sync it; null where that cannot be done. */
async function openDirectory(path: string): Promise<FileHandle | null> {
  try {
    return await open(encodePath(path), 'r');
  } catch (error) {
    if (CANNOT_SYNC.has(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/**
 * Creates or renames names in a directory and makes that survive a power cut. What cannot even be begun, for want of open files,
 * is not done.
 */
export async function syncedIn(path: string, act: () => Promise<void>): Promise<void> {
  const directory = await openDirectory(path);
  try {
    await act();
    await directory?.sync().catch((error: unknown) => {
      if (!CANNOT_SYNC.has(errnoOf(error) ?? '')) throw error;
    });
  } finally {
    await directory?.close();
  }
}

/** Makes names that were created or renamed in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await syncedIn(path, () => Promise.resolve());
}

/** Writes a whole file by way of `path` + ".tmp": write, sync, rename, sync of the directory. Errors: disk.full, disk.failed. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array | string,
  mode = 0o644,
): Promise<Result<void>> {
  const temporary = `${path}.tmp`;
  const written = await writing(path, async () => {
    // A leftover of an earlier crash, or a link laid there: removed, never written through.
    await rm(encodePath(temporary), { force: true });
    const handle = await open(encodePath(temporary), 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(encodePath(temporary), encodePath(path));
    await syncDirectory(dirname(path));
  });
  if (!written.ok) await rm(encodePath(temporary), { force: true }).catch(() => undefined);
  return written;
}
