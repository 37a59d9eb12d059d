/** The Files port on a real disk. */
import { checksumsOf } from './read/checksums.ts';
import { lstat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import type { DirectoryEntry, DirectoryPlace, FileFacts } from '../core/model.ts';
import type { Files, Notifying, NotifyWants } from '../core/ports.ts';
import { createDirectoryCheck } from './directoryAt.ts';
import { errnoOf, isGone, writing } from '../core/errno.ts';
import { entryTypeOf } from './entryType.ts';
import { disksBelow, driveAt, mountOf, mountsBelow } from './mounts.ts';
import { listDirectory } from './listDirectory.ts';
import type { Found, Looking, Seen } from './listenBelow.ts';
import { moveFile } from './write/moveFile.ts';
import { makeWithParents } from './write/makeWithParents.ts';
import { createHeldWrites } from './write/heldWrites.ts';
import { openPart } from './write/partFile.ts';
import { ASYNC_CALLS, removeName } from './write/writeCalls.ts';
import { isRemote } from './networkShare.ts';
import { encodePath } from './names/pathBytes.ts';
import { realPathOf } from './realPathOf.ts';
import { type Silence, unlessSilent } from './silence.ts';
import type { Pool } from './pool/threadPool.ts';
import { createLazyThreadTasks } from './pool/lazyThreadTasks.ts';
import { createWorkerTasks, type FileTasks } from './pool/workerPool.ts';

async function typeOf(path: string): Promise<DirectoryEntry['type'] | null> {
  try {
    return entryTypeOf(await lstat(encodePath(path)));
  } catch (error) {
    // Something unreadable exists, too.
    return isGone(error) ? null : 'other';
  }
}

async function look(path: string): Promise<Seen | null> {
  const stats = await lstat(encodePath(path)).catch(() => null);
  if (stats === null) return null;
  return { type: entryTypeOf(stats), inode: stats.ino, madeAt: stats.birthtimeMs };
}

async function placeOf(directory: string): Promise<DirectoryPlace | null> {
  try {
    const stats = await lstat(encodePath(directory), { bigint: true });
    if (!stats.isDirectory()) return null;
    const mounts = await mountsBelow(directory);
    return { device: String(stats.dev), inode: String(stats.ino), mounts };
  } catch {
    return null;
  }
}

/** Bytes that an ordinary user can still write at the path, or at its nearest existing ancestor; null when the system does not say. */
async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize, blocks } = await statfs(encodePath(path));
    // A file system that states no blocks, such as one in user space that does not count them, is not full: its size is unknown.
    return blocks === 0 ? null : bavail * bsize;
  } catch (error) {
    const parent = dirname(path);
    return isGone(error) && parent !== path ? freeBytes(parent) : null;
  }
}

/** Loads the listener of this system first: only watches need it. Never throws later, as failures are reported through `onTrouble`. */
function notify(directory: string, looking: Looking, wants: NotifyWants): Notifying {
  let isClosed = false;
  let begun: Notifying | null = null;
  const loaded =
    process.platform === 'linux'
      ? import('./listenBelow.ts').then(
          ({ listenBelow }) =>
            () =>
              listenBelow(directory, looking, wants),
        )
      : import('./listenToTree.ts').then(
          ({ listenToTree }) =>
            () =>
              listenToTree(directory, wants),
        );
  const listening = loaded.then(
    (listen) => (begun = isClosed ? null : listen()),
    (error: unknown) => {
      wants.onTrouble('failed', errnoOf(error) ?? String(error));
      return null;
    },
  );
  return {
    ready: listening.then((started) => started?.ready),
    found: (paths) => begun?.found?.(paths),
    close: async () => {
      isClosed = true;
      await (await listening)?.close();
    },
  };
}

async function factsOf(tasks: FileTasks, path: string): Promise<Result<FileFacts>> {
  const [facts] = await tasks.stat([path]);
  if (facts === undefined) throw new Error('a path without an answer');
  return facts;
}

/** The result for a path on a drive that does not answer: as for one that is busy, it is tried again. */
function silentResult({ context }: SluiceError): Result<never> {
  return { ok: false, error: sluiceError('file.busy', context) };
}

/** Moves files, but never one file twice at the same time: a move that we no longer wait for may continue when its drive is back. */
function createMoving(move: Files['moveFile']): Files['moveFile'] {
  const moving = new Set<string>();
  return async (from, to, part) => {
    if (moving.has(from)) return fail('file.busy', { path: from });
    moving.add(from);
    try {
      return await move(from, to, part);
    } finally {
      moving.delete(from);
    }
  };
}

/** The Files port over these tasks. Once a drive does not answer, nothing on it is waited for, and nothing new is begun on it. */
export function filesOver(tasks: FileTasks, silence: Silence, move = moveFile): Files {
  const directoryAt = createDirectoryCheck();
  const moveOnce = createMoving(move);
  const read = <T>(
    path: string,
    work: (path: string) => Promise<T>,
    otherwise: (error: SluiceError) => T,
  ): Promise<T> => unlessSilent(silence, path, () => work(path), otherwise);
  const writes = createHeldWrites(silence);
  const looking: Looking = {
    list: (path) => read(path, listDirectory, silentResult),
    look: (path) => read<Found>(path, look, () => 'silent'),
  };
  return {
    ...tasks,
    list: looking.list,
    typeOf: (path) => read(path, typeOf, () => 'other'),
    facts: (path) => factsOf(tasks, path),
    placeOf: (path) => read(path, placeOf, () => null),
    mountOf: (path) => read(path, mountOf, (silent) => ({ path, mount: null, silent })),
    driveAt: (mount) => read(mount, driveAt, () => null),
    disksBelow: (path) => read(path, disksBelow, () => []),
    realPath: (path) => read(path, realPathOf, () => null).catch(() => null),
    directoryAt: (path) => read(path, directoryAt, silentResult),
    checksums: (path, wanted) => read(path, () => checksumsOf(path, wanted), silentResult),
    writeWhole: (path, part, bytes, options) =>
      writes.write(part, () => tasks.writeWhole(path, part, bytes, options)),
    openPart: (path, part, synced) => writes.openPart(part, () => openPart(path, part, synced)),
    makeDirectory: (path) => writes.write(path, () => writing(path, () => makeWithParents(path))),
    remove: (path) =>
      writes.write(path, () => writing(path, () => removeName(ASYNC_CALLS, encodePath(path)))),
    moveFile: (from, to, part) => {
      const moving = (): Promise<Result<void>> => moveOnce(from, to, part);
      const silent = (error: SluiceError): Result<void> => ({ ok: false, error });
      return read(from, () => read(to, moving, silent), silent);
    },
    unpack: async (archive, directory, signal) => {
      // Loaded on demand: few runs unpack anything.
      const { unpack } = await import('./archive/unpack.ts');
      const over = new AbortController();
      const signals = AbortSignal.any([signal, over.signal]);
      const unpacked = await writes.write(directory, () =>
        unpack(archive, directory, signals, freeBytes),
      );
      // The unpacking need not continue when nothing waits for it any more.
      over.abort();
      return unpacked;
    },
    freeBytes: (path) => read(path, freeBytes, () => null),
    notify: (directory, wants) => notify(directory, looking, wants),
    isRemote: (path) => read(path, isRemote, () => true),
  };
}

/** The Files port with worker threads for everything that reads content. */
export function createFiles(pool: Pool): Files {
  return filesOver(createWorkerTasks(pool), pool.silence);
}

/** The same, but while there are few small files and no thread yet, the calling thread reads them, without being blocked. */
export function createLazyThreadFiles(pool: Pool): Files {
  return filesOver(createLazyThreadTasks(pool), pool.silence);
}
