/** Writing so that a reader, or a start after a power cut, finds either the old content or the new, never a part of it. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Result } from '../../core/errors.ts';
import { errnoOf, writing } from '../../core/errno.ts';
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
