import { describe, expect, test } from 'vitest';
import { hashKindOf } from '../../../../main/engine/core/ids.ts';
import {
  contentHash,
  createContentHasher,
  loadSlowBlake3,
} from '../../../../main/engine/files/contentHash.ts';

const ABC = Buffer.from('abc');
/** Of `abc`, as the authors of the algorithms publish them. */
const BLAKE3 = '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85';
const SHA256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('a hash', () => {
  test('names its algorithm; SHA-256 is the one without a name', () => {
    expect(contentHash(ABC)).toBe(`b3:${BLAKE3}`);
    expect(contentHash(ABC, 'sha256')).toBe(SHA256);
    expect(hashKindOf(contentHash(ABC))).toBe('b3');
    expect(hashKindOf(SHA256)).toBe('sha256');
    expect([hashKindOf(`s3-b3:${BLAKE3}`), hashKindOf(`l3-${SHA256}`)]).toEqual(['b3', 'sha256']);
  });

  test.each(['b3', 'sha256'] as const)('in pieces is that of the whole (%s)', (kind) => {
    const hasher = createContentHasher(kind);
    hasher.update(ABC.subarray(0, 1));
    hasher.update(ABC.subarray(1));
    expect(hasher.finish()).toBe(contentHash(ABC, kind));
  });

  test('is the same where the native library cannot be loaded, also of two streams in turn', async () => {
    const slow = await loadSlowBlake3();
    expect(slow.of(ABC)).toBe(BLAKE3);
    const [first, second] = [slow.create(), slow.create()];
    first.update(ABC.subarray(0, 2));
    second.update(ABC);
    first.update(ABC.subarray(2));
    expect([first.digest(), second.digest()]).toEqual([BLAKE3, BLAKE3]);
  });
});
