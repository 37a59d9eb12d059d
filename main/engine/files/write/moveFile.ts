/** Moves a user's file, only when they asked for it: never over another file, and across disks only after a synced copy. */
import { type BigIntStats, constants, createReadStream } from 'node:fs';
import { access, lstat, open, readlink, rename, rm, stat, symlink, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { fail, ok, type Result } from '../../core/errors.ts';
import { READ_CHUNK_BYTES } from '../../core/limits.ts';
import { syncDirectory } from './syncDirectory.ts';
import { errnoOf, writing } from '../../core/errno.ts';
import { makeWithParents } from './makeWithParents.ts';
import { encodePath } from '../names/pathBytes.ts';
import { realPathOf } from '../realPathOf.ts';
import { ASYNC_CALLS, claimName, type Linked, tryLink } from './writeCalls.ts';

function statOf(path: string): Promise<BigIntStats> {
  return stat(encodePath(path), { bigint: true });
}

/**
 * True while a path leads to the same file with the same content as before. Only size and modification time are compared, because giving
 * the file a second name changes its other times.
 */
async function isStill(path: string, before: BigIntStats): Promise<boolean> {
  const { ino, dev, size, mtimeNs } = await statOf(path);
  return (
    ino === before.ino && dev === before.dev && size === before.size && mtimeNs === before.mtimeNs
  );
}

/** Converts nanoseconds to seconds, exact to less than a microsecond. */
function secondsOf(ns: bigint): number {
  return Number(ns) / 1e9;
}

/**
 * Makes a synced copy with the times of the file, and with its mode if the disk has modes. fs.copyFile would fail on FAT and exFAT, which
 * refuse most modes.
 */
async function copyTo(part: string, from: string, before: BigIntStats): Promise<void> {
  await rm(encodePath(part), { force: true });
  const copy = await open(encodePath(part), 'wx', 0o600);
  try {
    await copy.writeFile(createReadStream(encodePath(from), { highWaterMark: READ_CHUNK_BYTES }));
    if ((await copy.stat({ bigint: true })).size !== before.size)
      throw new Error('the copy has another size');
    await copy.utimes(secondsOf(before.atimeNs), secondsOf(before.mtimeNs));
    await copy.chmod(Number(before.mode) & 0o7777).catch(() => undefined);
    await copy.sync();
  } finally {
    await copy.close();
  }
}

/** Gives the part its final name. */
async function nameCopy(part: string, to: string): Promise<Linked> {
  const linked = await claimName(ASYNC_CALLS, part, to, { replace: false });
  if (linked !== 'elsewhere') return linked;
  await rename(encodePath(part), encodePath(to));
  return 'done';
}

/**
 * Copies a file to another disk; a copy that was interrupted never has the final name. Also returns `taken` when the file changed
 * meanwhile.
 */
async function copyOver(
  from: string,
  to: string,
  part: string,
  before: BigIntStats,
): Promise<Linked> {
  try {
    await copyTo(part, from, before);
    return (await isStill(from, before)) ? await nameCopy(part, to) : 'taken';
  } finally {
    await rm(encodePath(part), { force: true });
  }
}

async function isRelativeLink(path: string): Promise<boolean> {
  if (!(await lstat(encodePath(path))).isSymbolicLink()) return false;
  return !isAbsolute(await readlink(encodePath(path)));
}

/** Makes a link to the same file at another place: the relative target of the original link would lead elsewhere from there. */
async function copyLink(from: string, to: string): Promise<Linked> {
  const target = relative(await realPathOf(dirname(to)), await realPathOf(from));
  try {
    await symlink(encodePath(target), encodePath(to));
    return 'done';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'taken';
    throw error;
  }
}

/** See Files.moveFile. */
export async function moveFile(from: string, to: string, part: string): Promise<Result<void>> {
  const directory = dirname(from);
  // If nothing can be removed from the source directory, each try would leave another copy.
  const leaves = await writing(directory, () => access(encodePath(directory), constants.W_OK));
  if (!leaves.ok) return leaves;
  const placed = await writing(to, async () => {
    await makeWithParents(dirname(to));
    const before = await statOf(from);
    const linked = await ((await isRelativeLink(from))
      ? copyLink(from, to)
      : tryLink(ASYNC_CALLS, from, to));
    const how = linked === 'elsewhere' ? await copyOver(from, to, part, before) : linked;
    if (how === 'taken') return how;
    await syncDirectory(dirname(to));
    // Another program may have written a new file in place of the source: it stays, and the file that it replaced counts as moved.
    return (await isStill(from, before)) ? 'twice' : 'replaced';
  });
  if (!placed.ok) return placed;
  if (placed.value === 'taken') return fail('item.changed', { path: to });
  if (placed.value === 'replaced') return ok(undefined);
  return writing(from, async () => {
    await unlink(encodePath(from));
    await syncDirectory(directory);
  });
}
