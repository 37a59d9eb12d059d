/** Files being downloaded: a part next to the final name, kept when interrupted, renamed when complete. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, ok, type Result, sluiceError, SluiceFailure } from '../../core/errors.ts';
import type { PartFile, SyncedLength, Written } from '../../core/ports.ts';
import { giveBack } from '../../core/receiveMemory.ts';
import { diskTurns, type InTurn } from './diskTurns.ts';
import { syncedIn } from './syncDirectory.ts';
import { writing } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';
import { stampOf } from '../read/fileFacts.ts';
import { ASYNC_CALLS, claimName, isSame, typeAt } from './writeCalls.ts';
import { uptimeMs } from '../../core/uptime.ts';

/** What an earlier try wrote is read in blocks of this size. */
const BLOCK_BYTES = 1024 * 1024;
/** Files are written in steps of about this size: writing every network chunk costs more than the disk. Our choice. */
const STEP_BYTES = 1024 * 1024;
/**
 * A large file is synced when this much more has arrived, and at least this often while it grows: the system would keep most of it in
 * memory until the end, and after a kill, bytes that were not synced are downloaded again. Our choices.
 */
const SYNC_BYTES = 64 * 1024 * 1024;
const SYNC_MS = 10_000;
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Writes all pieces one after the other. Returns the number of bytes written. */
async function writeAll(
  handle: FileHandle,
  pieces: readonly Uint8Array[],
  position: number,
): Promise<number> {
  let left = [...pieces];
  let done = 0;
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left, position + done);
    done += bytesWritten;
    left = left.flatMap((piece) => {
      const written = Math.min(bytesWritten, piece.length);
      bytesWritten -= written;
      return written === piece.length ? [] : [piece.subarray(written)];
    });
  }
  return done;
}

interface Part {
  readonly part: string;
  readonly inTurn: InTurn;
}

/** True while the path still leads to the open file: another Sluice may have removed the part as abandoned. */
async function isOwn(part: string, handle: FileHandle): Promise<boolean> {
  const own = await handle.stat({ bigint: true });
  return isSame(await ASYNC_CALLS.lstat(encodePath(part)), own);
}

/** Syncs a file that grows from time to time, one sync at a time, and notes how much of it is synced. */
function createSyncing(
  { part, inTurn }: Part,
  handle: FileHandle,
  offsetBytes: number,
  synced: SyncedLength | null,
) {
  let requested = offsetBytes;
  let requestedAt = uptimeMs();
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;
  const throwFailure = (): void => {
    if (failure !== null) throw failure.error;
  };
  const sync = async (lengthBytes: number): Promise<void> => {
    await inTurn(async () => {
      try {
        await handle.datasync();
      } catch (error) {
        failure = { error };
      }
    });
    if (failure !== null || synced === null) return;
    // If the length cannot be noted, or another program replaced the part, the bytes are downloaded again.
    const isThere = await isOwn(part, handle).catch(() => false);
    if (isThere) await synced.note(lengthBytes).catch(() => undefined);
  };
  return {
    /** Throws the error of an earlier sync: the system reports only once that bytes were lost. */
    throwFailure,
    grownTo: (lengthBytes: number): void => {
      const now = uptimeMs();
      const isDue = lengthBytes - requested >= SYNC_BYTES || now - requestedAt >= SYNC_MS;
      if (running !== null || !isDue) return;
      requested = lengthBytes;
      requestedAt = now;
      running = sync(lengthBytes).finally(() => (running = null));
    },
    /** Syncs the whole file. Throws like throwFailure. */
    finish: async (): Promise<void> => {
      await running;
      throwFailure();
      try {
        await inTurn(() => handle.sync());
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    /** The file is empty again. */
    startOver: async (): Promise<void> => {
      await running;
      requested = 0;
    },
    /** Syncs the file for a later resume and notes that, unless a sync failed before. */
    keep: async (lengthBytes: number): Promise<void> => {
      await running;
      if (failure === null && synced !== null && lengthBytes > requested) await sync(lengthBytes);
    },
  };
}

/** Gathers pieces into a few large steps while more arrive. flush() writes everything; the next call throws the error of a step. */
function createWriter(
  part: Part,
  handle: FileHandle,
  offsetBytes: number,
  synced: SyncedLength | null,
) {
  let position = offsetBytes;
  let pieces: Uint8Array[] = [];
  let gathered = 0;
  let step: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const syncing = createSyncing(part, handle, offsetBytes, synced);
  const begin = async (): Promise<void> => {
    await step;
    syncing.throwFailure();
    const batch = pieces;
    pieces = [];
    gathered = 0;
    step = part
      .inTurn(() => writeAll(handle, batch, position))
      .then((bytes) => {
        position += bytes;
        syncing.grownTo(position);
        for (const piece of batch) giveBack(piece);
      });
    // The next call reports this error; until then, the rejection must not count as unhandled.
    step.catch(() => (hasFailed = true));
  };
  return {
    add: async (piece: Uint8Array): Promise<void> => {
      pieces.push(piece);
      gathered += piece.length;
      if (gathered >= STEP_BYTES) await begin();
    },
    /** Returns the length of the file. */
    flush: async (): Promise<number> => {
      if (pieces.length > 0) await begin();
      await step;
      return position;
    },
    finish: syncing.finish,
    /** Writes everything, and syncs it if a later try may resume from it. */
    keep: async (): Promise<void> => {
      try {
        if (pieces.length > 0) await begin();
        await step;
      } finally {
        await syncing.keep(position);
      }
    },
    /** A step failed: the file may contain bytes beyond its length. */
    hasFailed: (): boolean => hasFailed,
    startOver: async (): Promise<void> => {
      pieces = [];
      gathered = 0;
      await step.catch(() => undefined);
      step = Promise.resolve();
      position = 0;
      await syncing.startOver();
    },
  };
}

/** What an earlier try wrote, block by block; each block is valid until the next is requested. */
async function* keptBytes(
  path: string,
  handle: FileHandle,
  lengthBytes: number,
): AsyncGenerator<Uint8Array> {
  const block = Buffer.alloc(Math.min(BLOCK_BYTES, lengthBytes));
  for (let at = 0; at < lengthBytes;) {
    const wanted = Math.min(block.length, lengthBytes - at);
    const read = await writing(path, () => handle.read(block, 0, wanted, at));
    if (!read.ok) throw new SluiceFailure(read.error);
    const { bytesRead } = read.value;
    if (bytesRead === 0) throw new SluiceFailure(sluiceError('disk.failed', { path }));
    yield block.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function partOver(
  path: string,
  { part, inTurn }: Part,
  handle: FileHandle,
  offsetBytes: number,
  synced: SyncedLength | null,
): PartFile {
  const writer = createWriter({ part, inTurn }, handle, offsetBytes, synced);
  let isOpen = true;
  const close = async (finish: () => Promise<void>): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    try {
      await finish();
    } finally {
      await inTurn(() => handle.close());
    }
  };
  return {
    offsetBytes,
    kept: () => keptBytes(part, handle, offsetBytes),
    write: (chunk) => writing(path, () => writer.add(chunk)),
    truncate: async () => {
      const emptied = await writing(path, async () => {
        await writer.startOver();
        await handle.truncate(0);
      });
      if (emptied.ok) await synced?.note(0);
      return emptied;
    },
    commit: async (options) => {
      const committed = await writing(path, async () => {
        const lengthBytes = await writer.flush();
        // Bytes of a write that failed halfway are not part of the file.
        if (writer.hasFailed()) await handle.truncate(lengthBytes);
        await writer.finish();
        return syncedIn(dirname(path), async (): Promise<Written | null> => {
          if (!(await isOwn(part, handle))) return null;
          // While a large file is synced, a person or another Sluice may put another file under its name.
          const linked = await claimName(ASYNC_CALLS, part, path, options);
          if (linked === 'taken') return { kind: 'occupied' };
          await close(() => Promise.resolve());
          // `force`: another Sluice may have removed the part meanwhile.
          if (linked === 'done') await rm(encodePath(part), { force: true });
          else await rename(encodePath(part), encodePath(path));
          const stats = await stat(encodePath(path), { bigint: true }).catch(() => null);
          return { kind: 'written', stamp: stats === null ? null : stampOf(stats) };
        });
      });
      if (!committed.ok) return committed;
      return committed.value === null ? fail('file.busy', { path: part }) : ok(committed.value);
    },
    // A failed close breaks no promise: only commit promises that the file is safe.
    close: () => close(writer.keep).catch(() => undefined),
  };
}

/** Removes a part that has its final name, too, after a kill between the two steps: the complete file must not be changed. */
async function removeNamed(part: string): Promise<void> {
  if ((await lstat(encodePath(part))).nlink > 1) await unlink(encodePath(part));
}

async function openNow(
  path: string,
  { part, inTurn }: Part,
  synced: SyncedLength | null,
): Promise<Result<PartFile>> {
  // A link must not redirect the bytes.
  const type = await writing(part, () => typeAt(ASYNC_CALLS, encodePath(part)));
  if (!type.ok) return type;
  if (type.value === 'other') return fail('disk.failed', { path: part, reason: 'no regular file' });
  const trusted = synced?.bytes ?? 0;
  const opened = await writing(part, async () => {
    if (type.value === 'file') await removeNamed(part);
    const handle = await open(encodePath(part), FLAGS, 0o644);
    try {
      const { size } = await handle.stat();
      if (size > trusted) await handle.truncate(trusted);
      return partOver(path, { part, inTurn }, handle, Math.min(size, trusted), synced);
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
  // Another program shortened or removed the part: what is written next must not count as synced.
  if (opened.ok && opened.value.offsetBytes < trusted) await synced?.note(opened.value.offsetBytes);
  return opened;
}

/** See Files.openPart. If the part's name belongs to a link or anything else that is not a file, the result is disk.failed. */
export function openPart(
  path: string,
  part: string,
  synced: SyncedLength | null,
): Promise<Result<PartFile>> {
  const inTurn = diskTurns(dirname(part));
  return inTurn(() => openNow(path, { part, inTurn }, synced));
}
