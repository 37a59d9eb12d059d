/**
 * Paths as strings that preserve any bytes. Linux file names are bytes and need not be UTF-8. In a name that is not, each invalid byte b
 * becomes U+EF00 + b (U+EF80–U+EFFF). Real characters of that range are escaped byte by byte in the same way, so that every name has
 * exactly one string, which encodes to the same bytes again.
 */
import { isUtf8 } from 'node:buffer';

const ESCAPE_BASE = 0xef00;
const ESCAPED = /[\uef80-\uefff]/;
const ESCAPED_ALL = /[\uef80-\uefff]/g;

/** Length of the UTF-8 sequence that this byte can start; 0 when it cannot start one. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

/** Turns the bytes of a file name into a string; encodePath returns the same bytes. */
export function decodeName(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) {
    const text = buffer.toString('utf8');
    if (!ESCAPED.test(text)) return text;
  }
  let text = '';
  for (let at = 0; at < buffer.length;) {
    const length = sequenceLength(buffer[at] ?? 0);
    const piece = buffer.subarray(at, at + Math.max(length, 1));
    const valid = length > 0 && piece.length === length && isUtf8(piece);
    const character = valid ? piece.toString('utf8') : '';
    if (valid && !ESCAPED.test(character)) {
      text += character;
      at += length;
    } else {
      // A character of the escape range is treated as invalid: its bytes are escaped one by one.
      const broken = valid ? piece : piece.subarray(0, 1);
      for (const byte of broken) text += String.fromCharCode(ESCAPE_BASE + byte);
      at += broken.length;
    }
  }
  return text;
}

/** What file system calls get: the string itself, or its bytes when it contains escaped ones. */
export function encodePath(path: string): string | Buffer {
  // Windows names are UTF-16: nothing needs escaping, and byte paths would be misread.
  if (process.platform === 'win32' || !ESCAPED.test(path)) return path;
  return encodeBytes(path);
}

/** The bytes of a path made by decodeName. */
export function encodeBytes(path: string): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const match of path.matchAll(ESCAPED_ALL)) {
    pieces.push(Buffer.from(path.slice(from, match.index), 'utf8'));
    pieces.push(Buffer.of(match[0].charCodeAt(0) - ESCAPE_BASE));
    from = match.index + 1;
  }
  pieces.push(Buffer.from(path.slice(from), 'utf8'));
  return Buffer.concat(pieces);
}

/** The path in readable form: bytes that are not text become "_". For names on the service and for display. */
export function readableName(path: string): string {
  return encodeBytes(path).toString('utf8').replaceAll('\ufffd', '_');
}
