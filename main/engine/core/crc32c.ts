/** CRC-32C, a checksum that storages state for their objects. */
import { createRequire } from 'node:module';
import javaScript from 'crc-32/crc32c.js';

/** The checksum of `bytes`, continuing from `before` (0 at the start), as an unsigned 32-bit number. */
export type Crc32c = (bytes: Uint8Array, before: number) => number;

/** In JavaScript: a fifth of the native speed, and still faster than a disk. */
const portable: Crc32c = (bytes, before) => javaScript.buf(bytes, before) >>> 0;

/**
 * The native implementation that `load` returns, or else the portable one: there is no native file in the npm package, which
 * has no dependencies, nor on processors for which none is built.
 */
export function chooseCrc32c(load: () => { readonly crc32c: unknown }): Crc32c {
  try {
    const { crc32c: native } = load();
    if (typeof native !== 'function') return portable;
    return (bytes, before) => Number(native(bytes, before));
  } catch {
    return portable;
  }
}

let chosen: Crc32c | null = null;

/** The checksum by the fastest implementation there is, loaded on first use: not every thread needs it. */
export const crc32c: Crc32c = (bytes, before) => {
  chosen ??= chooseCrc32c(() => createRequire(import.meta.url)('@node-rs/crc32'));
  return chosen(bytes, before);
};
