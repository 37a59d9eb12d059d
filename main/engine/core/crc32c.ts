/** CRC-32C, a checksum that storages state for their objects. */
import javaScript from 'crc-32/crc32c.js';
import { loadNative } from './nativeLibrary.ts';

/** The checksum of `bytes`, continuing from `before` (0 at the start), as an unsigned 32-bit number. */
export type Crc32c = (bytes: Uint8Array, before: number) => number;

/** In JavaScript: a fifth of the native speed, and still faster than a disk. */
const portable: Crc32c = (bytes, before) => javaScript.buf(bytes, before) >>> 0;

/**
 * The native implementation that `load` returns, or else the portable one: the npm package contains no native file, because it has no
 * dependencies, and for some processors none is built.
 */
export function chooseCrc32c(load: () => { readonly crc32c: unknown }): Crc32c {
  try {
    const { crc32c: found } = load();
    if (typeof found !== 'function') return portable;
    return (bytes, before) => Number(found(bytes, before));
  } catch {
    return portable;
  }
}

/** Loading the native implementation takes as long as computing the checksum of this many bytes in JavaScript. */
const WORTH_BYTES = 1024 * 1024;
let bytesSoFar = 0;
let native: Crc32c | null = null;

/**
 * Computes the checksum: in JavaScript up to WORTH_BYTES, natively after that. Many threads never see enough bytes to make loading the
 * native implementation worth its time.
 */
export const crc32c: Crc32c = (bytes, before) => {
  bytesSoFar += bytes.length;
  if (bytesSoFar < WORTH_BYTES) return portable(bytes, before);
  native ??= chooseCrc32c(() => loadNative('@node-rs/crc32'));
  return native(bytes, before);
};
