/**
 * Writes small files at once: next to their name, synced, then renamed. For use inside a worker: everything except the syncs and
 * opening the directory is a synchronous call, which for a small file costs less than handing it to another thread.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, isGone, writing } from '../../core/errno.ts';
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Written } from '../../core/ports.ts';
import { encodePath } from '../names/pathBytes.ts';
import { stampOf } from '../read/fileFacts.ts';
import { openInDirectory } from './makeWithParents.ts';
import { syncedIn } from './syncDirectory.ts';
import { tryLinkSync } from './tryLink.ts';

const syncFile = promisify(fsync);
/** Maximum tries to create a part: others may create it at the same time. */
const MOST_TRIES = 4;
/** Only a new file is opened: a link could redirect the bytes, and a pipe would block this thread. */
const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

function typeAt(path: Buffer | string): 'none' | 'file' | 'other' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  return stats.isFile() ? 'file' : 'other';
}

/**
 * Creates the part; null when something that is not a file has its name. One left by an earlier try is removed, never
 * overwritten: a kill may have left it as a second name of the complete file.
 */
async function openNew(part: Buffer | string, path: string): Promise<number | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openInDirectory(path, () => openSync(part, FLAGS, 0o644));
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || tries === MOST_TRIES) throw error;
      if (typeAt(part) === 'other') return null;
      rmSync(part, { force: true });
    }
  }
}

/** True when a name leads to the open file, whose inode is not reused while it is open. */
function isSame(found: BigIntStats | undefined, own: BigIntStats): boolean {
  return found?.ino === own.ino && found.dev === own.dev;
}

/** Where a file system counts a second name as another inode, only the content tells. */
function holds(name: Buffer | string, found: BigIntStats, bytes: Uint8Array): boolean {
  if (!found.isFile() || found.size !== BigInt(bytes.length)) return false;
  return readFileSync(name).equals(bytes);
}

/** Removes the part, which another program may have removed already. */
function removePart(part: Buffer | string): void {
  try {
    unlinkSync(part);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

/** See Files.writeWhole. */
export async function writeWhole(
  path: string,
  partPath: string,
  bytes: Uint8Array,
  { replace }: { readonly replace: boolean },
): Promise<Result<Written>> {
  const name = encodePath(path);
  const part = encodePath(partPath);
  const fd = await writing(partPath, () => openNew(part, path));
  if (!fd.ok) return fd;
  const opened = fd.value;
  if (opened === null) return fail('disk.failed', { path: partPath, reason: 'no regular file' });
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(opened);
    isOpen = false;
  };
  try {
    const written = await writing(partPath, async () => {
      writeAll(opened, bytes);
      await syncFile(opened);
    });
    if (!written.ok) return written;
    const settled = await writing(path, () =>
      syncedIn(dirname(path), (): Written | null => {
        const own = fstatSync(opened, { bigint: true });
        if (!isSame(lstatSync(part, { bigint: true, throwIfNoEntry: false }), own)) return null;
        close();
        const linked = replace ? 'elsewhere' : tryLinkSync(partPath, path);
        const isTaken = linked === 'elsewhere' && !replace && typeAt(name) !== 'none';
        if (linked !== 'elsewhere' || isTaken) removePart(part);
        if (linked === 'taken' || isTaken) return { kind: 'occupied' };
        if (linked === 'elsewhere') renameSync(part, name);
        const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
        // The part may have been replaced between the two steps.
        if (stats !== undefined && !isSame(stats, own) && !holds(name, stats, bytes)) return null;
        return { kind: 'written', stamp: stats === undefined ? null : stampOf(stats) };
      }),
    );
    if (!settled.ok) return settled;
    return settled.value === null ? fail('file.busy', { path: partPath }) : ok(settled.value);
  } finally {
    close();
  }
}
