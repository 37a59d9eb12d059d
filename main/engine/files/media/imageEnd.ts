/** Whether the end of an image is missing. Each check returns true for "cut", and false whenever the format leaves doubt. */
import { MAX_IMAGE_BYTES } from '../../core/limits.ts';
import type { ByteSource } from '../byteSource.ts';

/** Block size of the backward search for an end mark. */
const SEARCH_BYTES = 64 * 1024;
/** A compressed stream never ends in this many zero bytes; space reserved by a copying program does. */
const RESERVED_BYTES = 4096;

function word16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function word32(bytes: Uint8Array, at: number): number {
  return word16(bytes, at) * 0x1_0000 + word16(bytes, at + 2);
}

function little32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) +
    (bytes[at + 1] ?? 0) * 0x100 +
    (bytes[at + 2] ?? 0) * 0x1_0000 +
    (bytes[at + 3] ?? 0) * 0x100_0000
  );
}

/** Searches backwards for FF D9 (end of image in JPEG and JPEG 2000) between two positions. */
function hasEndMark(source: ByteSource, from: number, to: number): boolean {
  for (let end = to; end > from;) {
    const start = Math.max(from, end - SEARCH_BYTES);
    // One more byte, to find a mark that spans two blocks.
    const bytes = source.read(start, Math.min(end + 1, to) - start);
    for (let at = bytes.length - 2; at >= 0; at -= 1) {
      if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
    }
    end = start;
  }
  return false;
}

/** Position after the header of the first scan; null when the file ends before it. */
function jpegScanStart(source: ByteSource): number | null {
  let at = 2;
  while (at + 4 <= source.sizeBytes) {
    const head = source.read(at, 4);
    // Not a segment: leave the rest to the search for the end mark.
    if (head[0] !== 0xff) return head.every((byte) => byte === 0) ? null : at;
    const marker = head[1] ?? 0;
    if (marker === 0xff) {
      at += 1;
    } else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
    } else if (marker === 0xd9) {
      return at;
    } else {
      const next = at + 2 + Math.max(word16(head, 2), 2);
      if (marker === 0xda) return next;
      at = next;
    }
  }
  return null;
}

/** JPEG: the segments must lead to a scan with an end mark after it. Anything may follow the end mark. */
export function jpegCut(source: ByteSource): boolean {
  const scan = jpegScanStart(source);
  return scan === null || !hasEndMark(source, scan, source.sizeBytes);
}

/** PNG: the chunks must lead to a complete IEND. */
export function pngCut(source: ByteSource): boolean {
  let at = 8;
  while (at + 12 <= source.sizeBytes) {
    const head = source.read(at, 8);
    const type = word32(head, 4);
    if (type === 0) return true;
    at += 12 + word32(head, 0);
    if (type === 0x49454e44) return at > source.sizeBytes;
  }
  return true;
}

/** WebP: the declared size must exist and not be reserved space. */
export function webpCut(source: ByteSource): boolean {
  const declared = little32(source.read(4, 4), 0) + 8;
  // Some writers count the padding byte of an odd length but leave it out.
  if (declared > source.sizeBytes + 1) return true;
  if (declared < 2 * RESERVED_BYTES) return false;
  return source.read(declared - RESERVED_BYTES, RESERVED_BYTES - 1).every((byte) => byte === 0);
}

/** BMP: the pixels that the header declares must exist; a declared size of 0 is common and means nothing. */
export function bmpCut(source: ByteSource): boolean {
  const head = source.read(0, 54);
  if (head.length < 26) return true;
  const declared = little32(head, 2);
  const headerBytes = little32(head, 14);
  const compression = little32(head, 30);
  if (head.length < 54 || headerBytes < 40 || (compression !== 0 && compression !== 3)) {
    return declared > source.sizeBytes;
  }
  const width = little32(head, 18);
  const height = Math.abs(little32(head, 22) | 0);
  const bitsPerPixel = (head[28] ?? 0) + (head[29] ?? 0) * 0x100;
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4;
  return little32(head, 10) + rowBytes * height > source.sizeBytes;
}

/** JPEG 2000: the boxes must be complete, and the code stream must have its end mark. */
export function jp2Cut(source: ByteSource): boolean {
  let at = 0;
  while (at + 8 <= source.sizeBytes) {
    const head = source.read(at, 16);
    const short = word32(head, 0);
    const type = word32(head, 4);
    const long = short === 1 ? word32(head, 8) * 0x1_0000_0000 + word32(head, 12) : short;
    const length = short === 0 ? source.sizeBytes - at : long;
    if (length < 8 || type === 0) return true;
    if (at + length > source.sizeBytes) return true;
    if (type === 0x6a703263) return codestreamCut(source, at + length);
    at += length;
  }
  return true;
}

/** A bare JPEG 2000 code stream up to a position: it must have its end mark. */
export function codestreamCut(source: ByteSource, end: number): boolean {
  return !hasEndMark(source, Math.max(0, end - SEARCH_BYTES), end);
}

/** Images larger than the service accepts are refused for their size; reading them to the end is not worth it. */
export function worthChecking(source: ByteSource): boolean {
  return source.sizeBytes <= MAX_IMAGE_BYTES;
}
