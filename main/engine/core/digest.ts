/** Checksums of bytes while they pass: SHA-256, CRC-32C, and MD5 where it is asked for. */
import { createHash } from 'node:crypto';
import { crc32c } from './crc32c.ts';
import type { ComputedChecksums } from './model.ts';

/** Checksums over bytes in their order. */
export interface Digest {
  update(bytes: Uint8Array): void;
  /** The checksums of everything so far; `sha256` is always there. May be asked once. */
  finish(): ComputedChecksums & { readonly sha256: string; readonly lengthBytes: number };
}

/** Begins checksums. MD5 costs more than everything else together: it is made only where `md5` asks for it. */
export function createDigest(options: { readonly md5: boolean }): Digest {
  const sha256 = createHash('sha256');
  const md5 = options.md5 ? createHash('md5') : null;
  let crc = 0;
  let lengthBytes = 0;
  return {
    update: (bytes) => {
      sha256.update(bytes);
      md5?.update(bytes);
      crc = crc32c(bytes, crc);
      lengthBytes += bytes.length;
    },
    finish: () => ({
      sha256: sha256.digest('hex'),
      md5: md5?.digest('hex') ?? null,
      crc32c: crc.toString(16).padStart(8, '0'),
      lengthBytes,
    }),
  };
}
