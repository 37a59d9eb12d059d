/** Writes small files at once: next to their name, synced, then renamed. */
import { type BigIntStats, fsync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, writing } from '../../core/errno.ts';
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Written } from '../../core/ports.ts';
import { encodePath } from '../names/pathBytes.ts';
import { stampOf } from '../read/fileFacts.ts';
import { syncedIn } from './syncDirectory.ts';
import {
  claimName,
  isSame,
  type Name,
  removeName,
  SYNC_CALLS,
  typeAt,
  type WriteCalls,
} from './writeCalls.ts';

const syncFile = promisify(fsync);
/** Maximum tries to create a part: others may create it at the same time. */
const MOST_TRIES = 4;

/**
 * Creates the part; null when something that is not a file has its name. A part that an earlier try left is removed, never overwritten:
 * after a kill, it may be a second name of the complete file.
 */
async function openNew(calls: WriteCalls, part: Name): Promise<number | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await calls.create(part);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || tries === MOST_TRIES) throw error;
      if ((await typeAt(calls, part)) === 'other') return null;
      await removeName(calls, part);
    }
  }
}

/** On file systems that show another inode number for a second name, only the content proves that both names are the same file. */
async function holds(
  calls: WriteCalls,
  name: Name,
  found: BigIntStats,
  bytes: Uint8Array,
): Promise<boolean> {
  if (!found.isFile() || found.size !== BigInt(bytes.length)) return false;
  return (await calls.read(name)).equals(bytes);
}

/** See Files.writeWhole. By default with calls for a worker. */
export async function writeWhole(
  path: string,
  partPath: string,
  bytes: Uint8Array,
  options: { readonly replace: boolean },
  calls: WriteCalls = SYNC_CALLS,
): Promise<Result<Written>> {
  const name = encodePath(path);
  const part = encodePath(partPath);
  const fd = await writing(partPath, () => openNew(calls, part));
  if (!fd.ok) return fd;
  const opened = fd.value;
  if (opened === null) return fail('disk.failed', { path: partPath, reason: 'no regular file' });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await calls.close(opened);
  };
  try {
    const written = await writing(partPath, async () => {
      await calls.writeAll(opened, bytes);
      await syncFile(opened);
    });
    if (!written.ok) return written;
    const settled = await writing(path, () =>
      syncedIn(dirname(path), async (): Promise<Written | null> => {
        const own = await calls.stats(opened);
        if (!isSame(await calls.lstat(part), own)) return null;
        await close();
        const linked = await claimName(calls, partPath, path, options);
        if (linked === 'elsewhere') await calls.rename(part, name);
        else await removeName(calls, part);
        if (linked === 'taken') return { kind: 'occupied' };
        const stats = await calls.stat(name);
        // The part may have been replaced between the two steps.
        if (stats !== undefined && !isSame(stats, own) && !(await holds(calls, name, stats, bytes)))
          return null;
        return { kind: 'written', stamp: stats === undefined ? null : stampOf(stats) };
      }),
    );
    if (!settled.ok) return settled;
    return settled.value === null ? fail('file.busy', { path: partPath }) : ok(settled.value);
  } finally {
    await close();
  }
}
