/**
 * Hashes of content, with the algorithm in the value: `b3:` and BLAKE3 in hex, which every file gets. Plain hex is SHA-256,
 * from ledgers before version 13 and for downloaded outputs. Loads native code: the main thread imports this only when it
 * has bytes to hash.
 */
import { createHash, hash } from 'node:crypto';
import type * as BlakeHash from '@napi-rs/blake-hash';
import type { HashKind } from '../core/model.ts';
import { loadNative } from '../core/nativeLibrary.ts';

interface Blake3 {
  of(bytes: Uint8Array): string;
  create(): { update(bytes: Uint8Array): unknown; digest(encoding?: 'hex'): string };
}

/** The same bytes as a Buffer, which the library expects. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The native BLAKE3, or the one in WebAssembly (ten times slower) on platforms for which the library has no build. */
async function loadBlake3(): Promise<Blake3> {
  try {
    const { Blake3Hasher } = loadNative<typeof BlakeHash>('@napi-rs/blake-hash');
    // The hasher is reused: for a small file, creating one takes longer than hashing.
    const whole = new Blake3Hasher();
    return {
      of(bytes) {
        whole.reset();
        return whole.update(asBuffer(bytes)).digest('hex');
      },
      create() {
        const hasher = new Blake3Hasher();
        return {
          update: (bytes) => hasher.update(asBuffer(bytes)),
          digest: () => hasher.digest('hex'),
        };
      },
    };
  } catch {
    return loadSlowBlake3();
  }
}

/** BLAKE3 in WebAssembly. */
export async function loadSlowBlake3(): Promise<Blake3> {
  const { createBLAKE3 } = await import('hash-wasm');
  const whole = await createBLAKE3();
  const initial = whole.init().save();
  // All streams share one instance: each restores its state before it continues.
  const create = (): ReturnType<Blake3['create']> => {
    let state = initial;
    return {
      update(bytes) {
        state = whole.load(state).update(bytes).save();
      },
      digest: () => whole.load(state).digest('hex'),
    };
  };
  return { of: (bytes) => whole.init().update(bytes).digest('hex'), create };
}

const blake3 = await loadBlake3();
const PREFIX = 'b3:';

export function contentHash(bytes: Uint8Array, kind: HashKind = 'b3'): string {
  return kind === 'b3' ? PREFIX + blake3.of(bytes) : hash('sha256', bytes, 'hex');
}

export function createContentHasher(kind: HashKind = 'b3') {
  const hasher = kind === 'b3' ? blake3.create() : createHash('sha256');
  const prefix = kind === 'b3' ? PREFIX : '';
  return {
    update: (bytes: Uint8Array) => void hasher.update(bytes),
    /** The hash, with its algorithm; call it once. */
    finish: () => prefix + hasher.digest('hex'),
  };
}
