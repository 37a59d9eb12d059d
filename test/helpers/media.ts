/**
 * Images generated in code, quickly, for tests with thousands of distinct files. Each is a complete image that opens in any viewer,
 * the same for the same number. Also the broken files that tests need.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** The committed sample media. */
export const MEDIA_DIRECTORY = join(import.meta.dirname, '../fixtures/media');

/** The files of the committed sample media that differ in content: 34 images; `copies/` holds one more. */
export const SAMPLES = {
  jpeg: 'line-1/cam-a/frame-0001.jpg',
  copyOfJpeg: 'copies/frame-0001 (copy).jpg',
  smallJpeg: 'shelf/shelf-small.jpeg',
  progressiveJpeg: 'stills/shelf-progressive.jpg',
  phoneJpeg: 'phone/IMG_0001.JPG',
  oddName: 'shelf/Tasse weiß №5 (früh).jpg',
  alphaPng: 'stills/cup-alpha.png',
  greyPng: 'stills/parts-grey.png',
  palettePng: 'stills/parts-palette.png',
  webp: 'web/shelf.webp',
  losslessWebp: 'web/parts-lossless.webp',
  mp4: 'clips/conveyor.mp4',
  webm: 'clips/conveyor.webm',
} as const;

/** The content of one of the committed samples. */
export function sample(name: keyof typeof SAMPLES): Promise<Buffer> {
  return readFile(join(MEDIA_DIRECTORY, SAMPLES[name]));
}

/** A 16×16 JPEG of a test card, complete: the base of `tinyJpeg`. */
const JPEG_BASE = Buffer.from(
  '/9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVV' +
    'xfXFdXVVdfX2RkZHh4c3OMjJGsrM//xABvAAEBAAAAAAAAAAAAAAAAAAAFBgEBAAMBAAAAAAAAAAAAAAAABgIDAQQQ' +
    'AQABAwQDAQEAAAAAAAAAAAECAAMRUSFhMSIEQYESEQACAQMCBQUBAQAAAAAAAAACAQMAERIEIXFBMWETgSMyUdJykf' +
    '/AABEIABAAEAMBEgACEgADEgD/2gAMAwEAAhEDEQA/AJn+ZWLEUUZBLIvThNPjvVDIhdsw84mIxj8egNeKUwQxm7kK' +
    'L+ldf49uVHINSYnioifq/wA1okzUqdvaQIO2buT4vpwrnkT0/kxTkUmO65Ybd79fSlb109W4MQIiZAOts4633cc0J7' +
    'MZ35sSEj8XTjihkEsh/IiLi2/v7pJFpwAMhmE7clb9OrwFG5m7vx4Ybuw5fKyvbep6YhJyomgcmGze6x7O16//2Q==',
  'base64',
);

/** A distinct JPEG of about 400 bytes for each number: the same picture with the number in a comment. `padBytes` makes it larger. */
export function tinyJpeg(number: number, padBytes = 0): Buffer {
  return withJpegComment(JPEG_BASE, `sluice test ${number}`, padBytes);
}

/** The JPEG with a comment segment right after its start, and as many comment segments of zeros as `padBytes` needs. */
export function withJpegComment(jpeg: Buffer, text: string, padBytes = 0): Buffer {
  const segments = [commentSegment(Buffer.from(text))];
  for (let left = padBytes; left > 0; left -= 65_533) {
    segments.push(commentSegment(Buffer.alloc(Math.min(left, 65_533))));
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

function commentSegment(content: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** 4×4 pixels, 8-bit grey. */
const PNG_HEADER = pngChunk('IHDR', Buffer.from('00000004000000040800000000', 'hex'));
const PNG_PIXELS = pngChunk('IDAT', deflateSync(Buffer.alloc(20, 0)));
const PNG_END = pngChunk('IEND', Buffer.alloc(0));

/** A distinct PNG of about 100 bytes for each number: the number is in a text chunk. `padBytes` makes it larger. */
export function tinyPng(number: number, padBytes = 0): Buffer {
  const text = pngChunk('tEXt', Buffer.from(`Comment\0sluice test ${number}`, 'latin1'));
  const pad = padBytes > 0 ? [pngChunk('paDd', Buffer.alloc(padBytes))] : [];
  return Buffer.concat([PNG_SIGNATURE, PNG_HEADER, text, ...pad, PNG_PIXELS, PNG_END]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** `count` images as name and content, JPEG and PNG in turn: `<prefix>000001.jpg`, `<prefix>000002.png`, … */
export function* tinyImages(
  count: number,
  prefix = 'image-',
): Generator<{ readonly name: string; readonly content: Buffer }> {
  for (let number = 1; number <= count; number += 1) {
    const jpeg = number % 2 === 1;
    const name = `${prefix}${String(number).padStart(6, '0')}.${jpeg ? 'jpg' : 'png'}`;
    yield { name, content: jpeg ? tinyJpeg(number) : tinyPng(number) };
  }
}

/** A playable clip; each label of up to eight characters makes a distinct one of the same length. */
export async function clipOf(label: string): Promise<Buffer> {
  return Buffer.concat([
    await sample('mp4'),
    Buffer.from(`\0\0\0\x10free${label.padStart(8, '.')}`),
  ]);
}

/** The first part of a file, like an unfinished copy: `fraction` between 0 and 1. */
export function truncated(content: Buffer, fraction = 0.6): Buffer {
  return content.subarray(0, Math.floor(content.length * fraction));
}

/** Like an unfinished copy that reserved its size first: the full length, the rest still zeros. */
export function halfWritten(content: Buffer): Buffer {
  return Buffer.concat([truncated(content)], content.length);
}

/** Files that are not images, whatever their names say: name and content. */
export const NO_IMAGES: readonly { readonly name: string; readonly content: Buffer }[] = [
  { name: 'empty.jpg', content: Buffer.alloc(0) },
  { name: 'one-byte.jpg', content: Buffer.from([0xff]) },
  { name: 'text.jpg', content: Buffer.from('This is no image.\n') },
  { name: 'zeros.png', content: Buffer.alloc(4096) },
  { name: 'page.png', content: Buffer.from('<!doctype html><title>404</title>') },
  { name: 'drawing.svg', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  { name: 'notes.txt', content: Buffer.from('notes') },
];

/** File names that trip programs up, each legal on Linux, with the extension of an image. */
export const ODD_NAMES: readonly string[] = [
  'with space.jpg',
  ' leading and trailing .jpg',
  'Tasse №5 – früh.jpg',
  'decomposed u\u0308.jpg',
  'emoji 📷.jpg',
  '日本語.jpg',
  '-rf.jpg',
  '100% #1 ?x=y&z.jpg',
  'quote\'s "both".jpg',
  'back\\slash.jpg',
  'new\nline.jpg',
  'many.dots.in.it.jpg',
  'UPPER.JPG',
  `${'long'.repeat(60)}.jpg`,
];
