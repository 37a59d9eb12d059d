/**
 * Fingerprints: what says that two files have the same content.
 * Small (up to WHOLE_HASH_MAX_BYTES): `s<size>-<SHA-256 of the content>`. Equal: the same content.
 * Large: `l<size>-<SHA-256 of the first 256 KiB, four samples of 64 KiB spread evenly between, and the last 256 KiB>`.
 * Equal: very likely the same; only the full SHA-256 decides.
 */
import { createHash, hash } from 'node:crypto';
import { isFingerprint } from '../core/ids.ts';
import { WHOLE_HASH_MAX_BYTES } from '../core/limits.ts';
import type { Fingerprint } from '../core/model.ts';
import type { ByteSource } from './byteSource.ts';

const EDGE_BYTES = 256 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 4;

function compose(kind: 's' | 'l', sizeBytes: number, hex: string): Fingerprint {
  const text = `${kind}${sizeBytes}-${hex}`;
  if (!isFingerprint(text)) throw new Error('a fingerprint in no known form');
  return text;
}

/** The stretches of a large file that its fingerprint covers, in order and without overlap. */
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

/** SHA-256 in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The fingerprint of a small file from the SHA-256 of its whole content. */
export function smallFingerprint(sizeBytes: number, sha256: string): Fingerprint {
  return compose('s', sizeBytes, sha256);
}

/** The fingerprint of a large file from the bytes of its sampled stretches, in their order. */
export function fingerprintOfSamples(
  sizeBytes: number,
  samples: readonly Uint8Array[],
): Fingerprint {
  const hashed = createHash('sha256');
  for (const bytes of samples) hashed.update(bytes);
  return compose('l', sizeBytes, hashed.digest('hex'));
}

/** True for the fingerprint of a large file, which covers only its sampled stretches. */
export function isSampled(fingerprint: Fingerprint): boolean {
  return fingerprint.startsWith('l');
}

/** The fingerprint of a large file; reads only the sampled stretches. Null when the file ends before its size. */
export function largeFingerprint(source: ByteSource): Fingerprint | null {
  const samples = createHash('sha256');
  for (const { start, end } of sampledRanges(source.sizeBytes)) {
    const bytes = source.read(start, end - start);
    if (bytes.length < end - start) return null;
    samples.update(bytes);
  }
  return compose('l', source.sizeBytes, samples.digest('hex'));
}

/** Makes the full SHA-256 and the fingerprint of content that is read once, in order. */
export interface ContentHash {
  update(bytes: Uint8Array): void;
  /** To be called once, after exactly `sizeBytes` bytes. */
  finish(): { readonly sha256: string; readonly fingerprint: Fingerprint };
}

/** Starts hashing content of this size while it is read in order, in pieces of any length. */
export function createContentHash(sizeBytes: number): ContentHash {
  const whole = createHash('sha256');
  const large = sizeBytes > WHOLE_HASH_MAX_BYTES;
  const samples = createHash('sha256');
  const ranges = large ? sampledRanges(sizeBytes) : [];
  let position = 0;
  return {
    update(bytes) {
      whole.update(bytes);
      const end = position + bytes.length;
      for (const range of ranges) {
        const from = Math.max(range.start, position);
        const to = Math.min(range.end, end);
        if (from < to) samples.update(bytes.subarray(from - position, to - position));
      }
      position = end;
    },
    finish() {
      if (position !== sizeBytes) throw new Error('content hash finished at another size');
      const sha256 = whole.digest('hex');
      const fingerprint = large
        ? compose('l', sizeBytes, samples.digest('hex'))
        : smallFingerprint(sizeBytes, sha256);
      return { sha256, fingerprint };
    },
  };
}
