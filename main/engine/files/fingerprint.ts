/**
 * Fingerprints show whether two files have the same content.
 * Small (up to WHOLE_HASH_MAX_BYTES): `s<size>-<hash of the content>`. Equal fingerprints mean equal content.
 * Large: `l<size>-<hash of the first 256 KiB, four samples of 64 KiB spread evenly between, and the last 256 KiB>`.
 * Large files with equal fingerprints are very likely the same; only the hash of the whole content decides. The hashes are those of
 * files/contentHash.ts.
 */
import { isFingerprint } from '../core/ids.ts';
import { WHOLE_HASH_MAX_BYTES } from '../core/limits.ts';
import type { Fingerprint, HashKind } from '../core/model.ts';
import type { ByteSource } from './byteSource.ts';
import { createContentHasher } from './contentHash.ts';

const EDGE_BYTES = 256 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 4;

function compose(kind: 's' | 'l', sizeBytes: number, hash: string): Fingerprint {
  const text = `${kind}${sizeBytes}-${hash}`;
  if (!isFingerprint(text)) throw new Error('a fingerprint in no known form');
  return text;
}

/** The ranges of a large file that its fingerprint covers, in order and without overlap. */
export function sampledRanges(sizeBytes: number): readonly { start: number; end: number }[] {
  const between = sizeBytes - 2 * EDGE_BYTES;
  const ranges = [{ start: 0, end: EDGE_BYTES }];
  for (let index = 0; index < SAMPLES; index += 1) {
    const middle = Math.floor((between * (2 * index + 1)) / (2 * SAMPLES));
    const start = EDGE_BYTES + middle - SAMPLE_BYTES / 2;
    ranges.push({ start, end: start + SAMPLE_BYTES });
  }
  ranges.push({ start: sizeBytes - EDGE_BYTES, end: sizeBytes });
  return ranges;
}

export function smallFingerprint(sizeBytes: number, hash: string): Fingerprint {
  return compose('s', sizeBytes, hash);
}

/** The fingerprint of a large file from the bytes of its sampled ranges, in order. */
export function fingerprintOfSamples(
  sizeBytes: number,
  samples: readonly Uint8Array[],
  kind: HashKind,
): Fingerprint {
  const hashed = createContentHasher(kind);
  for (const bytes of samples) hashed.update(bytes);
  return compose('l', sizeBytes, hashed.finish());
}

/** The fingerprint of a large file; reads only the sampled ranges. Null when the file is shorter than its size says. */
export function largeFingerprint(source: ByteSource, kind: HashKind = 'b3'): Fingerprint | null {
  const samples = createContentHasher(kind);
  for (const { start, end } of sampledRanges(source.sizeBytes)) {
    const bytes = source.read(start, end - start);
    if (bytes.length < end - start) return null;
    samples.update(bytes);
  }
  return compose('l', source.sizeBytes, samples.finish());
}

/** Starts hashing content of this size while it is read in order, in pieces of any length. */
export function createContentHash(sizeBytes: number, kind: HashKind = 'b3') {
  const whole = createContentHasher(kind);
  const large = sizeBytes > WHOLE_HASH_MAX_BYTES;
  const samples = createContentHasher(kind);
  const ranges = large ? sampledRanges(sizeBytes) : [];
  let position = 0;
  return {
    update(bytes: Uint8Array) {
      whole.update(bytes);
      const end = position + bytes.length;
      for (const range of ranges) {
        const from = Math.max(range.start, position);
        const to = Math.min(range.end, end);
        if (from < to) samples.update(bytes.subarray(from - position, to - position));
      }
      position = end;
    },
    /** Call it once, after exactly `sizeBytes` bytes. */
    finish() {
      if (position !== sizeBytes) throw new Error('content hash finished at another size');
      const hash = whole.finish();
      const fingerprint = large
        ? compose('l', sizeBytes, samples.finish())
        : smallFingerprint(sizeBytes, hash);
      return { hash, fingerprint };
    },
  };
}
