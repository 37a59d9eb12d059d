/**
 * What a file is: the extension must be one that the service accepts, and the first bytes must match it. This is our own code instead of a
 * library, because it runs synchronously, 100,000 times in a row, on bytes that are read anyway.
 */
import { isUtf8 } from 'node:buffer';
import type { MediaKind } from '../../core/model.ts';

/** Extensions of images that staging accepts (service-api §10). */
export const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['bmp', 'dib', 'jpeg', 'jpg', 'jpe', 'jp2', 'png', 'webp'],
]);
/** Extensions of videos that staging accepts (service-api §10). */
export const VIDEO_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['mp4', 'm4a', 'm4p', 'm4b', 'm4r', 'm4v', 'avi', 'mov', 'mkv', 'flv', 'wmv'],
  ...['mpeg', 'mpg', '3gp', 'webm', 'ogg'],
]);

const IMAGE_FAMILIES = ['jpeg', 'png', 'webp', 'bmp', 'jp2', 'j2k'] as const;
const VIDEO_FAMILIES = ['mp4', 'avi', 'video'] as const;

/** What the first bytes show. `foreign`: certainly a type that the service does not accept; `zeros`: nothing written yet. */
export type ByteFamily =
  | (typeof IMAGE_FAMILIES | typeof VIDEO_FAMILIES)[number]
  | ('foreign' | 'zeros' | 'unknown');

/** Bytes that detection needs. */
export const SNIFF_BYTES = 512;

/** How files of a family start, written as Latin-1 text, one character per byte. */
const STARTS: readonly (readonly [ByteFamily, RegExp])[] = [
  ['jpeg', /^\xff\xd8\xff/],
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['bmp', /^BM/],
  ['jp2', /^\0{3}\x0cjP {2}\r\n\x87\n/],
  ['j2k', /^\xff\x4f\xff\x51/],
  ['video', /^(?:\x1a\x45\xdf\xa3|FLV|OggS|\x30\x26\xb2\x75\x8e\x66\xcf\x11|\0\0\x01[\xba\xb3])/],
  ['mp4', /^[^]{4}(?:moov|mdat|wide|free|skip|pnot)/],
  ['foreign', /^(?:GIF8|II\*\0|MM\0\*|%PDF|PK\x03\x04|PK\x05\x06|\x1f\x8b\x08)/],
  ['foreign', /^(?:\x7fELF|MZ|Rar!|7z\xbc\xaf|8BPS|SQLite format 3|\xd0\xcf\x11\xe0)/],
];

/** Brands of still images in the mp4 container: HEIC and AVIF, which the service does not accept. */
const STILL_BRANDS = /^(?:hei[cxms]|hev[cxms]|mif[123]|msf1|avi[fso]|jxl )/;

function latin1(head: Uint8Array, from: number, to: number): string {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1', from, to);
}

/** Text has no control bytes except tab and line ends, and is UTF-8, except for a character cut off at the end. */
function looksLikeText(head: Uint8Array): boolean {
  const controls = head.some((byte) => byte < 0x20 && (byte < 0x09 || byte > 0x0d));
  return !controls && [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
}

/** Determines the family from the first bytes (SNIFF_BYTES, or the whole file when shorter). */
export function familyOf(head: Uint8Array): ByteFamily {
  if (head.every((byte) => byte === 0)) return 'zeros';
  const start = latin1(head, 0, 16);
  if (start.startsWith('RIFF')) {
    const form = start.slice(8, 12);
    if (form === 'WEBP') return 'webp';
    return form === 'AVI ' || form === 'AVIX' ? 'avi' : 'foreign';
  }
  if (start.slice(4, 8) === 'ftyp') return STILL_BRANDS.test(start.slice(8)) ? 'foreign' : 'mp4';
  for (const [family, pattern] of STARTS) if (pattern.test(start)) return family;
  // MPEG transport streams: a 0x47 every 188 bytes, from the first byte or after a 4-byte time stamp (then every 192).
  if (head[0] === 0x47 && head[188] === 0x47 && head[376] === 0x47) return 'video';
  if (head[4] === 0x47 && head[196] === 0x47 && head[388] === 0x47) return 'video';
  return looksLikeText(head) ? 'foreign' : 'unknown';
}

/** The extension in lower case without the dot; '' when there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The kind that an extension promises; null when the service does not accept it. */
export function kindOfExtension(extension: string): MediaKind | null {
  if (IMAGE_EXTENSIONS.has(extension)) return 'image';
  return VIDEO_EXTENSIONS.has(extension) ? 'video' : null;
}

/**
 * The kind of a file from its extension and family; null when the service does not accept it. An image with another image's extension is
 * still an image. Video containers may have no fixed start: for those, unknown bytes are accepted.
 */
export function kindOf(extension: string, family: ByteFamily): MediaKind | null {
  const promised = kindOfExtension(extension);
  if (promised === null || family === 'zeros') return promised;
  if (promised === 'image') {
    // A .dib may lack the file header of a .bmp.
    const bare = extension === 'dib' && family === 'unknown';
    return IMAGE_FAMILIES.some((one) => one === family) || bare ? 'image' : null;
  }
  return VIDEO_FAMILIES.some((one) => one === family) || family === 'unknown' ? 'video' : null;
}
