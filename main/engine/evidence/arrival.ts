/** The bytes of a file as they arrive: their checksums, and the first of them, which show what it is. */
import type { ComputedChecksums } from '../core/model.ts';
import { createDigest } from '../core/digest.ts';
import { HEAD_BYTES } from './outputHead.ts';

/** Bytes of one file, taken in their order. */
export interface Arrival {
  take(bytes: Uint8Array): void;
  /** The first HEAD_BYTES, or what there is of them. */
  head(): Uint8Array;
  /** The checksums of everything; to be asked once. */
  finish(): ComputedChecksums & { readonly sha256: string; readonly lengthBytes: number };
}

/** Begins with no bytes; `md5` as for createDigest. */
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
