/** Where the service keeps bytes: one file in its own temporary directory, written and read by position. */
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32c } from './crc32c.ts';

/** A run of bytes in the store. */
export interface Blob {
  readonly offset: number;
  readonly lengthBytes: number;
  /**
   * SHA-256 of the bytes in hex, computed on first use and cached: most bytes of a benchmark are never asked about,
   * and hashing them all would take processor time from the measured client.
   */
  sha256(): string;
  /** The checksums that a storage states; computed on first use and cached. */
  checksums(): { readonly crc32c: Buffer; readonly md5: Buffer };
}

export interface BlobStore {
  /** Reserves space; bytes that are never written read as zeros. */
  reserve(lengthBytes: number): Blob;
  /** A part of a blob as a separate blob; nothing is copied. */
  slice(blob: Blob, position: number, lengthBytes: number): Blob;
  write(blob: Blob, position: number, chunks: readonly Uint8Array[]): Promise<void>;
  /** Stores the bytes. */
  put(bytes: Uint8Array): Promise<Blob>;
  /** Reads part of a blob; shorter at its end. */
  read(blob: Blob, position: number, lengthBytes: number): Promise<Buffer>;
  /** Fills `room` with the bytes from a position on. */
  readInto(blob: Blob, position: number, room: Buffer): Promise<void>;
  /** Removes the store and its content. */
  close(): Promise<void>;
}

const HASH_STEP_BYTES = 1024 * 1024;

/** Opens an empty store in a new directory under the system's temporary directory. */
export async function openBlobStore(): Promise<BlobStore> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-service-'));
  const file = await open(join(directory, 'bytes'), 'wx+', 0o600);
  let end = 0;

  const eachStep = (offset: number, lengthBytes: number, take: (step: Buffer) => void): void => {
    const step = Buffer.alloc(Math.min(HASH_STEP_BYTES, lengthBytes));
    for (let done = 0; done < lengthBytes;) {
      const wanted = Math.min(step.byteLength, lengthBytes - done);
      step.fill(0, 0, wanted);
      readSync(file.fd, step, 0, wanted, offset + done);
      take(step.subarray(0, wanted));
      done += wanted;
    }
  };

  const hash = (offset: number, lengthBytes: number): string => {
    const digest = createHash('sha256');
    eachStep(offset, lengthBytes, (step) => digest.update(step));
    return digest.digest('hex');
  };

  const checksums = (offset: number, lengthBytes: number): ReturnType<Blob['checksums']> => {
    const md5 = createHash('md5');
    let crc = 0;
    eachStep(offset, lengthBytes, (step) => {
      md5.update(step);
      crc = crc32c(step, crc);
    });
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc);
    return { crc32c: bytes, md5: md5.digest() };
  };

  const blobAt = (offset: number, lengthBytes: number): Blob => {
    let known: string | null = null;
    let stated: ReturnType<Blob['checksums']> | null = null;
    return {
      offset,
      lengthBytes,
      sha256: () => (known ??= hash(offset, lengthBytes)),
      checksums: () => (stated ??= checksums(offset, lengthBytes)),
    };
  };

  const reserve = (lengthBytes: number): Blob => {
    const blob = blobAt(end, lengthBytes);
    end += lengthBytes;
    return blob;
  };

  const write: BlobStore['write'] = async (blob, position, chunks) => {
    const total = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    if (position + total > blob.lengthBytes) throw new Error('more bytes than were reserved');
    const only = chunks[0];
    if (only !== undefined && chunks.length === 1) {
      await file.write(only, 0, only.byteLength, blob.offset + position);
    } else {
      await file.writev([...chunks], blob.offset + position);
    }
  };

  return {
    reserve,
    slice: (blob, position, lengthBytes) => blobAt(blob.offset + position, lengthBytes),
    write,
    put: async (bytes) => {
      const blob = reserve(bytes.byteLength);
      if (bytes.byteLength > 0) await write(blob, 0, [bytes]);
      return blob;
    },
    read: async (blob, position, lengthBytes) => {
      const wanted = Math.max(0, Math.min(lengthBytes, blob.lengthBytes - position));
      const bytes = Buffer.alloc(wanted);
      await file.read(bytes, 0, wanted, blob.offset + position);
      return bytes;
    },
    readInto: async (blob, position, room) => {
      await file.read(room, 0, room.byteLength, blob.offset + position);
    },
    close: async () => {
      await file.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
