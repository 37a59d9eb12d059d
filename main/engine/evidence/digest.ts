/** Checksums of bytes while they pass: SHA-256, CRC-32C, and MD5 where it is asked for. */
import { createHash } from 'node:crypto';
import type { ComputedChecksums } from '../core/model.ts';

/** Checksums over bytes in their order. */
export interface Digest {
  update(bytes: Uint8Array): void;
  /** The checksums of everything so far; `sha256` is always there. May be asked once. */
  finish(): ComputedChecksums & { readonly sha256: string; readonly lengthBytes: number };
}

type Crc32c = (bytes: Uint8Array, before: number) => number;

let loading: Promise<Crc32c | null> | null = null;

/** The native CRC-32C (8 GB/s); null on a platform that the library has no build for, where other checksums must do. */
async function loadCrc32c(): Promise<Crc32c | null> {
  try {
    const { crc32c } = await import('@node-rs/crc32');
    return (bytes, before) => crc32c(bytes, before);
  } catch {
    return null;
  }
}

/**
 * Begins checksums. MD5 costs more than everything else together: it is made only where `md5` asks for it, and where
 * there is no CRC-32C.
 */
export async function createDigest(options: { readonly md5: boolean }): Promise<Digest> {
  loading ??= loadCrc32c();
  const crc32c = await loading;
  const sha256 = createHash('sha256');
  const md5 = options.md5 || crc32c === null ? createHash('md5') : null;
  let crc = 0;
  let lengthBytes = 0;
  return {
    update: (bytes) => {
      sha256.update(bytes);
      md5?.update(bytes);
      if (crc32c !== null) crc = crc32c(bytes, crc);
      lengthBytes += bytes.length;
    },
    finish: () => ({
      sha256: sha256.digest('hex'),
      md5: md5?.digest('hex') ?? null,
      crc32c: crc32c === null ? null : crc.toString(16).padStart(8, '0'),
      lengthBytes,
    }),
  };
}
