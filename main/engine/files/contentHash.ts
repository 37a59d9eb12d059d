/**
 * Hashes of content, with the algorithm in the value: `b3:` and BLAKE3 in hex, which is what is made of every file. Plain hex
 * is the SHA-256 of ledgers before version 13, and of the outputs that are downloaded. Loads native code: the main thread
 * imports this when it has bytes to hash.
 */
import { createHash, hash } from 'node:crypto';
import type { HashKind } from '../core/model.ts';

/** Makes the hash of content that comes in pieces. */
export interface ContentHasher {
  update(bytes: Uint8Array): void;
  /** The value, with its algorithm; to be called once. */
  finish(): string;
}

interface Blake3 {
  of(bytes: Uint8Array): string;
  create(): { update(bytes: Uint8Array): unknown; digest(): string };
}

/** The same bytes as the library takes them. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The native BLAKE3; in WebAssembly, ten times as slow, on a platform that the library has no build for. */
async function loadBlake3(): Promise<Blake3> {
  try {
    const { blake3, Blake3Hasher } = await import('@napi-rs/blake-hash');
    return {
      of: (bytes) => blake3(asBuffer(bytes)).toString('hex'),
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
  // One machine serves all streams: the state of each is put back before it goes on.
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

/** The hash of bytes in memory. */
export function contentHash(bytes: Uint8Array, kind: HashKind = 'b3'): string {
  return kind === 'b3' ? PREFIX + blake3.of(bytes) : hash('sha256', bytes, 'hex');
}

/** Begins a hash. */
export function createContentHasher(kind: HashKind = 'b3'): ContentHasher {
  if (kind === 'b3') {
    const hasher = blake3.create();
    return { update: (bytes) => void hasher.update(bytes), finish: () => PREFIX + hasher.digest() };
  }
  const hasher = createHash('sha256');
  return { update: (bytes) => void hasher.update(bytes), finish: () => hasher.digest('hex') };
}
