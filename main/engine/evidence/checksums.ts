/** What a storage states about the bytes it holds, compared with those sent or received. Pure: no clock, no network, no file. */

import type { ComputedChecksums } from '../core/model.ts';

/**
 * What the headers of one answer state. null when not stated, or not in a form that can be compared. The length is that of the
 * object as stored, never taken from Content-Length, which counts the body of the answer.
 */
export interface StatedChecksums extends ComputedChecksums {
  /** A strong ETag of 32 hex digits: an MD5 on many storages, only an id on some. Weaker than the others. */
  readonly etagMd5: string | null;
}

/**
 * Whether bytes match what a storage states. `doubtful`: only an ETag differs, which is not an MD5 on some storages; `nothing stated`:
 * nothing can be compared.
 */
export type Comparison = 'equal' | 'different' | 'doubtful' | 'nothing stated';

type Headers = Readonly<Record<string, string>>;

const NOTHING: StatedChecksums = {
  crc32c: null,
  md5: null,
  sha256: null,
  etagMd5: null,
  lengthBytes: null,
};
const CRC32C_BYTES = 4;
const MD5_BYTES = 16;
const SHA256_BYTES = 32;

/** Converts base64 of exactly this many bytes to hex; null for any other form, such as a composite checksum (`…==-3`). */
function hexOf(base64: string | undefined, lengthBytes: number): string | null {
  const text = base64?.trim() ?? '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === lengthBytes ? bytes.toString('hex') : null;
}

/** One value of `x-goog-hash: crc32c=AAAAAA==,md5=…`, which may come as one header or as several. */
function googleHash(headers: Headers, name: string): string | undefined {
  const values = (headers['x-goog-hash'] ?? '').split(',').map((value) => value.trim());
  return values.find((value) => value.startsWith(`${name}=`))?.slice(name.length + 1);
}

function etagMd5(headers: Headers): string | null {
  const hex = /^"([0-9a-f]{32})"$/i.exec(headers['etag']?.trim() ?? '')?.[1];
  return hex?.toLowerCase() ?? null;
}

function storedLength(headers: Headers): number | null {
  const text = headers['x-goog-stored-content-length']?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** True when the storage decompressed the object for this answer, so that it states checksums of other bytes than it sends. */
function isTranscoded(headers: Headers): boolean {
  const stored = (headers['x-goog-stored-content-encoding'] ?? 'identity').trim().toLowerCase();
  const sent = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  return stored !== 'identity' && stored !== sent;
}

/**
 * Reads what a storage's answer to an upload or a download states about the whole object. Header names are in lower case.
 * Ignores what a partial answer (206) states about its own part, and everything if the storage decompressed the object.
 */
export function statedChecksums(headers: Headers): StatedChecksums {
  if (isTranscoded(headers)) return NOTHING;
  // In a partial answer, Content-MD5 and Amazon's checksums describe only the part.
  const own: Headers = headers['content-range'] === undefined ? headers : {};
  return {
    crc32c:
      hexOf(googleHash(headers, 'crc32c'), CRC32C_BYTES) ??
      hexOf(own['x-amz-checksum-crc32c'], CRC32C_BYTES),
    md5: hexOf(googleHash(headers, 'md5'), MD5_BYTES) ?? hexOf(own['content-md5'], MD5_BYTES),
    sha256: hexOf(own['x-amz-checksum-sha256'], SHA256_BYTES),
    etagMd5: etagMd5(headers),
    lengthBytes: storedLength(headers),
  };
}

/** True when an answer states something about the content, and not only about its length. */
export function statesContent({ crc32c, md5, sha256, etagMd5: etag }: StatedChecksums): boolean {
  return crc32c !== null || md5 !== null || sha256 !== null || etag !== null;
}

/** True when only MD5, which is slow to compute, can be compared with what an answer states. */
export function needsMd5({ crc32c, md5, sha256, etagMd5: etag }: StatedChecksums): boolean {
  return crc32c === null && sha256 === null && (md5 !== null || etag !== null);
}

/** A stated and a computed value of the same kind. */
type Pair = readonly [string | number | null, string | number | null];

function compared(pairs: readonly Pair[]): Exclude<Comparison, 'doubtful'> {
  const known = pairs.filter(([stated, computed]) => stated !== null && computed !== null);
  if (known.length === 0) return 'nothing stated';
  return known.every(([stated, computed]) => stated === computed) ? 'equal' : 'different';
}

/**
 * Compares what a storage states with what was computed. Any checksum or length that differs means `different`. The ETag
 * counts only if no checksum can be compared. An equal length alone proves nothing about the content and means `nothing stated`.
 */
export function compareChecksums(stated: StatedChecksums, computed: ComputedChecksums): Comparison {
  if (compared([[stated.lengthBytes, computed.lengthBytes]]) === 'different') return 'different';
  const checksums = compared([
    [stated.crc32c, computed.crc32c],
    [stated.md5, computed.md5],
    [stated.sha256, computed.sha256],
  ]);
  if (checksums !== 'nothing stated') return checksums;
  const etag = compared([[stated.etagMd5, computed.md5]]);
  return etag === 'different' ? 'doubtful' : etag;
}
