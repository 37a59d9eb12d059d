/**
 * Small files that are written at once: beside their name, synced, then renamed. For use inside a worker: everything but the syncs
 * is a synchronous call, which for a small file costs less than handing it to another thread.
 */
import {
  closeSync,
  constants,
  fsync,
  lstatSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, writing } from '../../core/errno.ts';
import { fail, type Result } from '../../core/errors.ts';
import type { WrittenWhole } from '../../core/ports.ts';
import { partPathOf } from '../names/partPath.ts';
import { encodePath } from '../names/pathBytes.ts';
import { factsOf } from '../read/fileFacts.ts';
import { makeWithParents } from './makeWithParents.ts';
import { syncedTogether } from './sharedSync.ts';

const syncFile = promisify(fsync);
const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function typeAt(path: Buffer | string): 'none' | 'file' | 'other' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  return stats.isFile() ? 'file' : 'other';
}

/** Opens the part, emptied; its directory is made where it is missing, which it is for few of many files. */
async function openEmpty(part: Buffer | string, path: string): Promise<number> {
  try {
    return openSync(part, FLAGS, 0o644);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await makeWithParents(dirname(path));
    return openSync(part, FLAGS, 0o644);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

/** See Files.writeWhole. */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { replace }: { readonly replace: boolean },
): Promise<Result<WrittenWhole>> {
  const name = encodePath(path);
  const partPath = partPathOf(path);
  const part = encodePath(partPath);
  const written = await writing(partPath, async () => {
    // A link must not lead the bytes elsewhere, and a pipe would hold this thread.
    if (typeAt(part) === 'other') return false;
    const fd = await openEmpty(part, path);
    try {
      writeAll(fd, bytes);
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
    return true;
  });
  if (!written.ok) return written;
  if (!written.value) return fail('disk.failed', { path: partPath, reason: 'no regular file' });
  return writing(path, () =>
    syncedTogether(dirname(path), (): WrittenWhole => {
      if (!replace && typeAt(name) !== 'none') return { kind: 'occupied' };
      renameSync(part, name);
      const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
      return { kind: 'written', stamp: stats === undefined ? null : factsOf(stats).stamp };
    }),
  );
}
