/** Where the service keeps bytes: one file in its own temporary directory, written and read by position. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A run of bytes in the store. */
export interface Blob {
  readonly offset: number;
  readonly lengthBytes: number;
}

export interface BlobStore {
  /** Sets room aside; what is never written reads as zeros. */
  reserve(lengthBytes: number): Blob;
  /** Writes chunks one after the other from a position inside a blob. */
  write(blob: Blob, position: number, chunks: readonly Uint8Array[]): Promise<void>;
  /** Keeps the bytes. */
  put(bytes: Uint8Array): Promise<Blob>;
  /** Reads part of a blob; shorter at its end. */
  read(blob: Blob, position: number, lengthBytes: number): Promise<Buffer>;
  /** Removes the store with all it holds. */
  close(): Promise<void>;
}

/** Opens an empty store in a directory of its own under the system's temporary directory. */
export async function openBlobStore(): Promise<BlobStore> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-service-'));
  const file = await open(join(directory, 'bytes'), 'wx+', 0o600);
  let end = 0;

  const reserve = (lengthBytes: number): Blob => {
    const blob = { offset: end, lengthBytes };
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
    close: async () => {
      await file.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
