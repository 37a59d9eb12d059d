/**
 * What a storage states about the bytes it holds, read from the headers of an answer, and how that compares with the bytes
 * that were sent or received. Pure: no clock, no network, no file.
 */

import type { ComputedChecksums } from '../core/model.ts';

/** What the headers of one answer state. null: not stated, or not in a form that can be compared. */
export interface StatedChecksums {
  /** CRC-32C of the whole object, 8 lower-case hex digits. */
  readonly crc32c: string | null;
  /** MD5 of the whole object, 32 lower-case hex digits. */
  readonly md5: string | null;
  /** SHA-256 of the whole object, 64 lower-case hex digits. */
  readonly sha256: string | null;
  /** A strong ETag of 32 hex digits: at many storages an MD5, at some of them only an id. Weaker than the others. */
  readonly etagMd5: string | null;
  /** Bytes of the object as it is stored. Never taken from Content-Length, which counts the body of the answer. */
  readonly lengthBytes: number | null;
}

/** Whether bytes are those that a storage states; `nothing stated` when there is nothing that can be compared. */
export type Comparison = 'equal' | 'different' | 'nothing stated';

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

/** Base64 of exactly this many bytes as hex. A composite checksum (`…==-3`) is of another form and answers null. */
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

/** True when the storage unpacked the object for this answer: what it states is about other bytes than those it sends. */
function isTranscoded(headers: Headers): boolean {
  const stored = (headers['x-goog-stored-content-encoding'] ?? 'identity').trim().toLowerCase();
  const sent = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  return stored !== 'identity' && stored !== sent;
}

/**
 * Reads what an answer of a storage states about the whole object, after an upload or with a download. Names are in lower
 * case. What a partial answer (206) states about its own part is left out, and so is everything when the storage
 * unpacked the object on the way.
 */
export function statedChecksums(headers: Headers): StatedChecksums {
  if (isTranscoded(headers)) return NOTHING;
  // Content-MD5 and Amazon's checksums of a partial answer are of the part.
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

/** True when only MD5, which is slow, can be compared with what an answer states. */
export function needsMd5({ crc32c, md5, sha256, etagMd5: etag }: StatedChecksums): boolean {
  return crc32c === null && sha256 === null && (md5 !== null || etag !== null);
}

/** Every pair of a stated and a computed value of one kind. */
type Pair = readonly [string | number | null, string | number | null];

function compared(pairs: readonly Pair[]): Comparison {
  const known = pairs.filter(([stated, computed]) => stated !== null && computed !== null);
  if (known.length === 0) return 'nothing stated';
  return known.every(([stated, computed]) => stated === computed) ? 'equal' : 'different';
}

/**
 * Compares what a storage states with what was computed. One difference of a checksum or of the length is `different`.
 * The ETag decides only where no checksum can be compared, because at some storages it is no MD5. An equal length alone
 * proves nothing about the content and is `nothing stated`.
 */
export function compareChecksums(stated: StatedChecksums, computed: ComputedChecksums): Comparison {
  if (compared([[stated.lengthBytes, computed.lengthBytes]]) === 'different') return 'different';
  const checksums = compared([
    [stated.crc32c, computed.crc32c],
    [stated.md5, computed.md5],
    [stated.sha256, computed.sha256],
  ]);
  return checksums === 'nothing stated' ? compared([[stated.etagMd5, computed.md5]]) : checksums;
}

/** True when bytes differ from what is stated by the ETag alone, which may be no MD5 at this storage. */
export function differsByEtagOnly(stated: StatedChecksums, computed: ComputedChecksums): boolean {
  return (
    compareChecksums(stated, computed) === 'different' &&
    compareChecksums({ ...stated, etagMd5: null }, computed) !== 'different'
  );
}
