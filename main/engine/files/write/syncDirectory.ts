/** Names on disk that survive a power cut. */
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** File systems and systems on which a directory cannot be synced say one of these; there the rename has to do. */
const CANNOT_SYNC = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'ENOTSUP', 'EBADF']);

/** True for a failure that says that directories cannot be synced there. */
export function cannotSync(error: unknown): boolean {
  return CANNOT_SYNC.has(errnoOf(error) ?? '');
}

/** Opens a directory to sync it; null where that cannot be done. */
async function openDirectory(path: string): Promise<FileHandle | null> {
  try {
    return await open(encodePath(path), 'r');
  } catch (error) {
    if (cannotSync(error)) return null;
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
      if (!cannotSync(error)) throw error;
    });
  } finally {
    await directory?.close();
  }
}

/** Makes names that were created or renamed in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await syncedIn(path, () => Promise.resolve());
}
