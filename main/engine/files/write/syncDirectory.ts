/** Names on disk that survive a power cut. */
import { open } from 'node:fs/promises';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** File systems and systems on which a directory cannot be synced say one of these; there the rename has to do. */
const CANNOT_SYNC = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'ENOTSUP', 'EBADF']);

/** Makes names that were created or renamed in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(encodePath(path), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.has(errnoOf(error) ?? '')) throw error;
  }
}
