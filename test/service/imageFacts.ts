/** What the first bytes of an image say: whether it can be read at all, and its size in pixels. */

export interface ImageFacts {
  readonly format: 'jpeg' | 'png' | 'webp' | 'bmp' | 'jp2';
  readonly width: number;
  readonly height: number;
}

/** Reads an image's header; null when the service cannot decode these bytes as an image. */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  const facts = png(bytes) ?? jpeg(bytes) ?? webp(bytes) ?? bmp(bytes) ?? jp2(bytes);
  return facts !== null && facts.width > 0 && facts.height > 0 ? facts : null;
}

const PNG_MARK = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function png(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG_MARK)) return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Start-of-frame markers: C0–CF without the tables C4, C8 and CC. */
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function jpeg(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameMarker(marker)) {
      const height = bytes.readUInt16BE(at + 5);
      return { format: 'jpeg', width: bytes.readUInt16BE(at + 7), height };
    }
    const standalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += standalone ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webp(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null;
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return {
        format: 'webp',
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { format: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return {
        format: 'webp',
        width: bytes.readUIntLE(24, 3) + 1,
        height: bytes.readUIntLE(27, 3) + 1,
      };
    default:
      return null;
  }
}

function bmp(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM') return null;
  return {
    format: 'bmp',
    width: Math.abs(bytes.readInt32LE(18)),
    height: Math.abs(bytes.readInt32LE(22)),
  };
}

function jp2(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 56 || bytes.toString('latin1', 4, 8) !== 'jP  ') return null;
  const header = bytes.subarray(0, 512).indexOf('ihdr', 0, 'latin1');
  if (header < 0 || header + 12 > bytes.length) return null;
  return {
    format: 'jp2',
    width: bytes.readUInt32BE(header + 8),
    height: bytes.readUInt32BE(header + 4),
  };
}

const IMAGE_ENDINGS = new Set(['bmp', 'dib', 'jpeg', 'jpg', 'jpe', 'jp2', 'png', 'webp']);
const VIDEO_ENDINGS = new Set(
  'mp4 m4a m4p m4b m4r m4v avi mov mkv flv wmv mpeg mpg 3gp webm ogg'.split(' '),
);

/** The kind of a file by its name; null for a type that the service does not accept. */
export function kindByName(fileName: string): 'images' | 'videos' | null {
  const ending = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  if (!fileName.includes('.')) return null;
  if (IMAGE_ENDINGS.has(ending)) return 'images';
  return VIDEO_ENDINGS.has(ending) ? 'videos' : null;
}
