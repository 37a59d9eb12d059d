/** Gathers bytes into chunks of one size. A full chunk is handed out only when a further byte asks for room. */
import { READ_CHUNK_BYTES } from '../../core/limits.ts';

/** A chunk under construction. Each chunk has its own memory, so that it can be moved to another thread. */
export interface ChunkBuilder {
  /** Room for more bytes, at least one and at most `wanted`; take() first when full() says so. */
  room(wanted: number): Uint8Array<ArrayBuffer>;
  /** Says how much of the room was filled. */
  filled(count: number): void;
  full(): boolean;
  /** The chunk so far; a new one begins. */
  take(): Uint8Array<ArrayBuffer>;
}

/** Starts building the chunks of a stream of this many bytes. */
export function createChunkBuilder(totalBytes: number): ChunkBuilder {
  let left = totalBytes;
  let chunk: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  let used = 0;
  return {
    room(wanted) {
      // Not zeroed: take() hands out only what was filled.
      if (used === 0) chunk = Buffer.allocUnsafeSlow(Math.min(left, READ_CHUNK_BYTES));
      return chunk.subarray(used, Math.min(used + wanted, chunk.length));
    },
    filled(count) {
      used += count;
      left -= count;
    },
    full: () => used > 0 && used === chunk.length,
    take() {
      const done = chunk.subarray(0, used);
      used = 0;
      return done;
    },
  };
}
