/** Checksums of passing bytes: SHA-256, CRC-32C, and MD5 on request. */
import { createHash } from 'node:crypto';
import { crc32c } from './crc32c.ts';
import type { ComputedChecksums } from './model.ts';

/** Starts checksums. MD5 costs more than everything else together, so it is computed only when `md5` is set. */
export function createChecksums(options: { readonly md5: boolean }) {
  const md5 = options.md5 ? createHash('md5') : null;
  let crc = 0;
  let lengthBytes = 0;
  return {
    update: (bytes: Uint8Array) => {
      md5?.update(bytes);
      crc = crc32c(bytes, crc);
      lengthBytes += bytes.length;
    },
    /** The checksums of everything so far. May be called once. */
    finish: () => ({
      md5: md5?.digest('hex') ?? null,
      crc32c: crc.toString(16).padStart(8, '0'),
      lengthBytes,
    }),
  };
}

/** The checksums that storages state, over a sequence of bytes. */
export type Checksums = ReturnType<typeof createChecksums>;

/** Starts checksums with SHA-256; MD5 as for createChecksums. */
export function createDigest(options: { readonly md5: boolean }) {
  const checksums = createChecksums(options);
  const sha256 = createHash('sha256');
  return {
    update: (bytes: Uint8Array) => {
      sha256.update(bytes);
      checksums.update(bytes);
    },
    /** The checksums of everything so far; `sha256` is always set. May be called once. */
    finish: (): ComputedChecksums & { readonly sha256: string; readonly lengthBytes: number } => ({
      ...checksums.finish(),
      sha256: sha256.digest('hex'),
    }),
  };
}
