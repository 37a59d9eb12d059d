/** Files that are being downloaded: `name.part` beside the final name, kept when interrupted, renamed when whole. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, type Result, sluiceError, SluiceFailure } from '../../core/errors.ts';
import type { PartFile } from '../../core/ports.ts';
import { syncedIn } from './syncDirectory.ts';
import { isGone, writing } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** Block of the backward search for the last byte that was really written. */
const BLOCK_BYTES = 1024 * 1024;
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * The length up to the last byte that is not zero. After a power cut some file systems keep a length whose data never
 * reached the disk and reads as zeros; going on behind them would make a damaged file. Zeros that were real come again.
 */
async function trustedLength(handle: FileHandle, sizeBytes: number): Promise<number> {
  const block = Buffer.alloc(Math.min(BLOCK_BYTES, sizeBytes));
  for (let end = sizeBytes; end > 0;) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    let last = bytesRead - 1;
    while (last >= 0 && block[last] === 0) last -= 1;
    if (last >= 0) return start + last + 1;
    end = start;
  }
  return 0;
}

/** True when something that is no regular file holds the name: a link must not lead the bytes elsewhere. */
async function isForeign(path: string): Promise<boolean> {
  try {
    return !(await lstat(encodePath(path))).isFile();
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const left = bytes.length - done;
    done += (await handle.write(bytes, done, left, position + done)).bytesWritten;
  }
}

/** What an earlier try wrote, block by block; each block is valid until the next is asked for. */
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

function partOver(path: string, handle: FileHandle, offsetBytes: number): PartFile {
  let position = offsetBytes;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return {
    offsetBytes,
    kept: () => keptBytes(`${path}.part`, handle, offsetBytes),
    write: (chunk) =>
      writing(path, async () => {
        await writeAll(handle, chunk, position);
        position += chunk.length;
      }),
    truncate: () =>
      writing(path, async () => {
        await handle.truncate(0);
        position = 0;
      }),
    commit: () =>
      writing(path, async () => {
        // Bytes of a write that failed half-way are not part of the file.
        await handle.truncate(position);
        await handle.sync();
        await syncedIn(dirname(path), async () => {
          await close();
          await rename(encodePath(`${path}.part`), encodePath(path));
        });
      }),
    // A close that fails loses nothing that was promised: only commit promises.
    close: () => close().catch(() => undefined),
  };
}

/**
 * Opens `path` + ".part", keeping what an earlier try wrote; cuts off an end of zeros that a power cut may have left. A link or
 * anything else than a file under that name is refused as disk.failed. Errors: disk.full, disk.failed.
 */
export async function openPart(path: string): Promise<Result<PartFile>> {
  const part = `${path}.part`;
  const foreign = await writing(part, () => isForeign(part));
  if (!foreign.ok) return foreign;
  if (foreign.value) return fail('disk.failed', { path: part, reason: 'no regular file' });
  return writing(part, async () => {
    const handle = await open(encodePath(part), FLAGS, 0o644);
    try {
      const { size } = await handle.stat();
      const offsetBytes = await trustedLength(handle, size);
      if (offsetBytes < size) await handle.truncate(offsetBytes);
      return partOver(path, handle, offsetBytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}
