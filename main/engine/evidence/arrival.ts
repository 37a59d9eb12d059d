/** Collects the checksums of a file's bytes as they arrive, and its first bytes, which show what it is. */
import { createDigest } from '../core/digest.ts';
import { HEAD_BYTES } from './outputHead.ts';

/** Starts with no bytes; `md5` as for createDigest. */
export function createArrival(options: { readonly md5: boolean }) {
  const digest = createDigest(options);
  let head = Buffer.alloc(0);
  return {
    take: (bytes: Uint8Array) => {
      digest.update(bytes);
      const missing = HEAD_BYTES - head.length;
      if (missing > 0) head = Buffer.concat([head, bytes.subarray(0, missing)]);
    },
    /** The first HEAD_BYTES, or fewer if fewer have arrived. */
    head: (): Uint8Array => head,
    /** The checksums of everything; call it only once. */
    finish: digest.finish,
  };
}

/** The bytes of one file, in order. */
export type Arrival = ReturnType<typeof createArrival>;
