/** The calls with which a small file is written: synchronous or asynchronous. */
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fstat,
  fstatSync,
  linkSync,
  lstatSync,
  open,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { link, lstat, readFile, rename, stat, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errnoOf, isGone } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** A path as Node takes it. */
export type Name = Buffer | string;
type Soon<T> = T | Promise<T>;

/** The calls throw what Node throws; stats are undefined if nothing has the name. */
export interface WriteCalls {
  /** Creates a file that is not there yet. */
  create(name: Name): Soon<number>;
  writeAll(fd: number, bytes: Uint8Array): Soon<void>;
  stats(fd: number): Soon<BigIntStats>;
  close(fd: number): Soon<void>;
  lstat(name: Name): Soon<BigIntStats | undefined>;
  stat(name: Name): Soon<BigIntStats | undefined>;
  read(name: Name): Soon<Buffer>;
  link(from: Name, to: Name): Soon<void>;
  rename(from: Name, to: Name): Soon<void>;
  unlink(name: Name): Soon<void>;
}

/** Only a new file is opened: a link could redirect the bytes, and a pipe would block this thread. */
const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const MODE = 0o644;
const BIG = { bigint: true, throwIfNoEntry: false } as const;

/** For a worker: with a small file each call costs less than handing it to another thread. */
export const SYNC_CALLS: WriteCalls = {
  create: (name) => openSync(name, FLAGS, MODE),
  writeAll: (fd, bytes) => {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  },
  stats: (fd) => fstatSync(fd, { bigint: true }),
  close: closeSync,
  lstat: (name) => lstatSync(name, BIG),
  stat: (name) => statSync(name, BIG),
  read: (name) => readFileSync(name),
  link: (from, to) => linkSync(from, to),
  rename: renameSync,
  unlink: unlinkSync,
};

const [openAsync, writeAsync, statAsync, closeAsync] = [
  promisify(open),
  promisify(write),
  promisify(fstat),
  promisify(close),
];

async function orUndefined(stats: Promise<BigIntStats>): Promise<BigIntStats | undefined> {
  try {
    return await stats;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** For the main thread, which no disk may block. */
export const ASYNC_CALLS: WriteCalls = {
  create: (name) => openAsync(name, FLAGS, MODE),
  writeAll: async (fd, bytes) => {
    for (let at = 0; at < bytes.length;) at += (await writeAsync(fd, bytes, at)).bytesWritten;
  },
  stats: (fd) => statAsync(fd, { bigint: true }),
  close: closeAsync,
  lstat: (name) => orUndefined(lstat(name, { bigint: true })),
  stat: (name) => orUndefined(stat(name, { bigint: true })),
  read: (name) => readFile(name),
  link: (from, to) => link(from, to),
  rename,
  unlink,
};

/** What has this name; a link counts as a link, not as its target. */
export async function typeAt(calls: WriteCalls, name: Name): Promise<'none' | 'file' | 'other'> {
  const stats = await calls.lstat(name);
  if (stats === undefined) return 'none';
  return stats.isFile() ? 'file' : 'other';
}

/** Removes a file or a link, never a directory. A missing one counts as removed: another program may have removed it already. */
export async function removeName(calls: WriteCalls, name: Name): Promise<void> {
  try {
    await calls.unlink(name);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** `elsewhere`: the other name is on another disk, or the file system has no hard links. */
export type Linked = 'done' | 'taken' | 'elsewhere';

/** The errors of file systems without hard links, such as FAT and network shares, on the different systems. */
const NO_LINK = new Set([
  'EXDEV',
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
  'UNKNOWN',
]);

/** Gives a file a second name. Unlike a rename, this fails when the name is taken, even if that happened just now. Throws other errors. */
export async function tryLink(calls: WriteCalls, from: string, to: string): Promise<Linked> {
  try {
    await calls.link(encodePath(from), encodePath(to));
    return 'done';
  } catch (error) {
    const code = errnoOf(error) ?? '';
    if (code === 'EEXIST') return 'taken';
    if (NO_LINK.has(code)) return 'elsewhere';
    throw error;
  }
}

/** Links a part to its name. `elsewhere`: it must be renamed instead, to a name that is free or is to be replaced. */
export async function claimName(
  calls: WriteCalls,
  part: string,
  path: string,
  { replace }: { readonly replace: boolean },
): Promise<Linked> {
  const linked = replace ? 'elsewhere' : await tryLink(calls, part, path);
  const isTaken =
    linked === 'elsewhere' && !replace && (await typeAt(calls, encodePath(path))) !== 'none';
  return isTaken ? 'taken' : linked;
}

/** True when a name leads to the open file, whose inode is not reused while it is open. */
export function isSame(found: BigIntStats | undefined, own: BigIntStats): boolean {
  return found?.ino === own.ino && found.dev === own.dev;
}
