import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentHash } from '../../../../main/engine/files/contentHash.ts';
import { bufferSource } from '../../../../main/engine/files/byteSource.ts';
import {
  createContentHash,
  largeFingerprint,
  smallFingerprint,
} from '../../../../main/engine/files/fingerprint.ts';
import { WHOLE_HASH_MAX_BYTES } from '../../../../main/engine/core/limits.ts';

const KIB = 1024;

function bytesOf(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255));
}

function streamed(bytes: Uint8Array, pieces: readonly number[]) {
  const content = createContentHash(bytes.length);
  let at = 0;
  for (const piece of pieces) {
    content.update(bytes.subarray(at, at + piece));
    at = Math.min(at + piece, bytes.length);
  }
  content.update(bytes.subarray(at));
  return content.finish();
}

describe('fingerprints', () => {
  test('of a small file is its size and whole hash', () => {
    const bytes = bytesOf(1000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(smallFingerprint(1000, contentHash(bytes))).toBe(`s1000-${contentHash(bytes)}`);
    expect(smallFingerprint(1000, contentHash(bytes, 'sha256'))).toBe(`s1000-${sha256}`);
  });

  test('of a large file covers both ends and four samples, as documented', () => {
    const bytes = bytesOf(3 * 1024 * KIB);
    const between = bytes.length - 512 * KIB;
    const hash = createHash('sha256').update(bytes.subarray(0, 256 * KIB));
    for (const eighth of [1, 3, 5, 7]) {
      const middle = 256 * KIB + (between * eighth) / 8;
      hash.update(bytes.subarray(middle - 32 * KIB, middle + 32 * KIB));
    }
    hash.update(bytes.subarray(-256 * KIB));
    expect(largeFingerprint(bufferSource(bytes), 'sha256')).toBe(
      `l${bytes.length}-${hash.digest('hex')}`,
    );
  });

  test('a change in any sampled range is detected', () => {
    const bytes = bytesOf(3 * 1024 * KIB);
    const before = largeFingerprint(bufferSource(bytes));
    for (const at of [0, 256 * KIB - 1, 576 * KIB, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(largeFingerprint(bufferSource(changed))).not.toBe(before);
    }
  });

  test('a file that ends early has no fingerprint', () => {
    const source = { ...bufferSource(bytesOf(2000 * KIB)), sizeBytes: 3000 * KIB };
    expect(largeFingerprint(source)).toBeNull();
  });

  test('made while streaming is the same as made by looking, however the stream is cut', () => {
    const sizes = [0, 1, WHOLE_HASH_MAX_BYTES, WHOLE_HASH_MAX_BYTES + 1, 1_500_003];
    const cuts = fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom(...sizes), cuts, (size, pieces) => {
        const bytes = bytesOf(size);
        const hash = contentHash(bytes);
        const fingerprint =
          size > WHOLE_HASH_MAX_BYTES
            ? largeFingerprint(bufferSource(bytes))
            : smallFingerprint(size, hash);
        expect(streamed(bytes, pieces)).toEqual({ hash, fingerprint });
      }),
      { numRuns: 10 },
    );
  });

  test('refuses to be finished at another size', () => {
    expect(() => createContentHash(5).finish()).toThrow('another size');
  });
});
