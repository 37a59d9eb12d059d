/** Collects the checksums of a file's bytes as they arrive, and its first bytes, which show what it is. */
import type { ComputedChecksums } from '../core/model.ts';
import { createDigest } from '../core/digest.ts';
import { HEAD_BYTES } from './outputHead.ts';

/** The bytes of one file, in order. */
export interface Arrival {
  take(bytes: Uint8Array): void;
  /** The first HEAD_BYTES, or fewer if fewer have arrived. */
  head(): Uint8Array;
  /** The checksums of everything; call it only once. */
  finish(): ComputedChecksums & { readonly sha256: string; readonly lengthBytes: number };
}

/** Starts with no bytes; `md5` as for createDigest. */
export function createArrival(options: { readonly md5: boolean }): Arrival {
  const digest = createDigest(options);
  let head = Buffer.alloc(0);
  return {
    take: (bytes) => {
      digest.update(bytes);
      const missing = HEAD_BYTES - head.length;
      if (missing > 0) head = Buffer.concat([head, bytes.subarray(0, missing)]);
    },
    head: () => head,
    finish: () => digest.finish(),
  };
}
