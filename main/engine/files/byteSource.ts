/** Random access to the bytes of a file through synchronous reads, for use inside a worker. */
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

export interface ByteSource {
  readonly sizeBytes: number;
  /** The bytes from a position on, fewer at the end; valid until the next read. */
  read(position: number, lengthBytes: number): Uint8Array;
}

/** Minimum bytes of one read from a file, so that neighbouring headers come from one system call. */
const WINDOW_BYTES = 4096;

/**
 * Fills the target from the position on, until the end of the file at most; returns the number of bytes read.
 * @param expected a read that returns exactly this many bytes counts as the end of the file, without another read to check
 */
export function readFully(
  fd: number,
  target: Uint8Array,
  position: number,
  expected: number = target.length,
): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSync(fd, target, filled, target.length - filled, position + filled);
    filled += count;
    if (count === 0 || filled === expected) break;
  }
  return filled;
}

/** The same without blocking the thread. */
export async function readFullyAsync(
  fd: number,
  target: Uint8Array,
  position: number,
  expected: number = target.length,
): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const left = target.length - filled;
    const { bytesRead } = await readAsync(fd, target, filled, left, position + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === expected) break;
  }
  return filled;
}

export function bufferSource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (position, lengthBytes) =>
      bytes.subarray(Math.min(position, bytes.length), position + lengthBytes),
  };
}

/**
 * A source over an open file, with a small window so that walks over headers need few reads.
 * @param memory holds the window where it fits; nothing else may use it in the meantime
 */
export function fileSource(fd: number, sizeBytes: number, memory: Uint8Array): ByteSource {
  let start = 0;
  let window: Uint8Array = new Uint8Array(0);
  return {
    sizeBytes,
    read(position, lengthBytes) {
      const end = Math.min(position + lengthBytes, sizeBytes);
      if (end <= position) return new Uint8Array(0);
      if (position < start || end > start + window.length) {
        const length = Math.max(end - position, WINDOW_BYTES);
        const wanted =
          length <= memory.length ? memory.subarray(0, length) : new Uint8Array(length);
        window = wanted.subarray(0, readFully(fd, wanted, position));
        start = position;
      }
      return window.subarray(position - start, end - start);
    },
  };
}
