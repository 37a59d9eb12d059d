import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../../../../main/engine/files/byteSource.ts';
import { checkMedia } from '../../../../../main/engine/files/media/mediaCheck.ts';
import { MEDIA_DIRECTORY, sample, tinyJpeg } from '../../../../helpers/media.ts';

function check(name: string, bytes: Uint8Array) {
  return checkMedia(name, bufferSource(bytes));
}

function withZeroTail(bytes: Buffer, keep: number): Buffer {
  return Buffer.concat([bytes.subarray(0, keep), Buffer.alloc(bytes.length - keep)]);
}

function box(type: string, content: Buffer, size = content.length + 8): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function longBox(type: string, content: Buffer): Buffer {
  const long = Buffer.alloc(8);
  long.writeBigUInt64BE(BigInt(content.length + 16));
  return box(type, Buffer.concat([long, content]), 1);
}

function bmp(width: number, height: number, declared?: number): Buffer {
  const pixels = Buffer.alloc(Math.ceil((width * 24) / 32) * 4 * Math.abs(height), 200);
  const head = Buffer.alloc(54);
  head.write('BM', 0, 'latin1');
  head.writeUInt32LE(declared ?? 54 + pixels.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, pixels]);
}

function riff(form: string, content: Buffer, declared = content.length + 4): Buffer {
  const head = Buffer.alloc(12);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(declared, 4);
  head.write(form, 8, 'latin1');
  return Buffer.concat([head, content]);
}

const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));
const MOOV = box('moov', Buffer.alloc(40, 1));
const MDAT = box('mdat', Buffer.alloc(500, 2));
const JP2 = Buffer.concat([
  Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1'),
  box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1')),
  box(
    'jp2c',
    Buffer.concat([
      Buffer.from([0xff, 0x4f, 0xff, 0x51]),
      Buffer.alloc(80, 3),
      Buffer.from([0xff, 0xd9]),
    ]),
  ),
]);

const WHOLE = {
  image: { kind: 'image', truncated: false },
  video: { kind: 'video', truncated: false },
};
const CUT = {
  image: { kind: 'image', truncated: true },
  video: { kind: 'video', truncated: true },
};
const NOT_TAKEN = { kind: null, truncated: false };

describe('the committed sample media', () => {
  const paths = readdirSync(MEDIA_DIRECTORY, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /\.(jpe?g|png|webp|mp4|webm)$/i.test(path) && statSync(join(MEDIA_DIRECTORY, path)).isFile(),
  );
  test('are found', () => {
    expect(paths.length).toBeGreaterThan(30);
  });
  test.each(paths)('%s is whole, and cut when half of it is missing', (path) => {
    const bytes = readFileSync(join(MEDIA_DIRECTORY, path));
    const kind = /\.(mp4|webm)$/i.test(path) ? 'video' : 'image';
    expect(check(path, bytes)).toEqual(WHOLE[kind]);
    // WebM has no end mark.
    if (!path.endsWith('.webm')) {
      expect(check(path, bytes.subarray(0, bytes.length >> 1))).toEqual(CUT[kind]);
    }
  });
});

describe('end of an image', () => {
  test('every cut of a JPEG is found, with and without space reserved behind', () => {
    const jpeg = tinyJpeg(1);
    for (let length = 3; length < jpeg.length; length += 1) {
      expect(check('a.jpg', jpeg.subarray(0, length))).toEqual(CUT.image);
      if (length < jpeg.length - 1)
        expect(check('a.jpg', withZeroTail(jpeg, length))).toEqual(CUT.image);
    }
  });
  test('an end marker inside a thumbnail does not count', () => {
    const thumb = Buffer.concat([
      Buffer.from([0xff, 0xe1, 0, 10]),
      Buffer.from([1, 2, 3, 0xff, 0xd9, 4, 5, 6]),
    ]);
    const jpeg = tinyJpeg(1);
    const bytes = Buffer.concat([jpeg.subarray(0, 2), thumb, jpeg.subarray(2)]);
    expect(check('a.jpg', bytes)).toEqual(WHOLE.image);
    expect(check('a.jpg', bytes.subarray(0, -2))).toEqual(CUT.image);
  });
  test('anything may follow the end of a JPEG, also at a block border', () => {
    for (const extra of [1, 65_533, 65_534, 65_535, 65_536, 200_000]) {
      const bytes = Buffer.concat([tinyJpeg(1), Buffer.alloc(extra, 7)]);
      expect(check('a.jpg', bytes)).toEqual(WHOLE.image);
    }
  });
  test('every cut of a PNG is found, with and without space reserved behind', async () => {
    const png = await sample('greyPng');
    for (let length = 8; length < png.length; length += 97) {
      expect(check('a.png', png.subarray(0, length))).toEqual(CUT.image);
      if (length < png.length - 12)
        expect(check('a.png', withZeroTail(png, length))).toEqual(CUT.image);
    }
    expect(check('a.png', Buffer.concat([png, Buffer.from('more')]))).toEqual(WHOLE.image);
  });
  test('WebP: declared length and reserved space', async () => {
    const webp = await sample('webp');
    expect(check('a.webp', webp)).toEqual(WHOLE.image);
    expect(check('a.webp', webp.subarray(0, -2))).toEqual(CUT.image);
    const large = riff('WEBP', Buffer.alloc(20_000, 9));
    expect(check('a.webp', large)).toEqual(WHOLE.image);
    expect(check('a.webp', withZeroTail(large, 9000))).toEqual(CUT.image);
  });
  test.each([
    ['whole', bmp(10, 10), false],
    ['upside down', bmp(10, -10), false],
    ['declares 0', bmp(10, 10, 0), false],
    ['declares nonsense though its pixels are there', bmp(10, 10, 999_999), false],
    ['cut', bmp(10, 10).subarray(0, -1), true],
    ['header only', bmp(10, 10).subarray(0, 20), true],
  ])('BMP: %s', (_, bytes, truncated) => {
    expect(check('a.bmp', bytes)).toEqual({ kind: 'image', truncated });
  });
  test('JPEG 2000, boxed and bare', () => {
    expect(check('a.jp2', JP2)).toEqual(WHOLE.image);
    for (const length of [JP2.length - 1, JP2.length - 60, 33, 14]) {
      expect(check('a.jp2', JP2.subarray(0, length))).toEqual(CUT.image);
    }
    expect(check('a.jp2', withZeroTail(JP2, JP2.length - 2))).toEqual(CUT.image);
    expect(check('a.jp2', JP2.subarray(-86))).toEqual(WHOLE.image);
    expect(check('a.jp2', JP2.subarray(-86, -2))).toEqual(CUT.image);
  });
});

describe('end of a video', () => {
  const parts = (...pieces: Buffer[]) => Buffer.concat(pieces);
  test.each([
    ['moov last', parts(FTYP, MDAT, MOOV), false],
    ['moov first', parts(FTYP, MOOV, MDAT), false],
    ['old QuickTime without ftyp', parts(box('wide', Buffer.alloc(0)), MDAT, MOOV), false],
    ['64-bit length', parts(FTYP, MOOV, longBox('mdat', Buffer.alloc(100, 1))), false],
    ['last box reaches to the end', parts(FTYP, MOOV, box('mdat', Buffer.alloc(9, 1), 0)), false],
    ['fragments', parts(FTYP, MOOV, box('moof', Buffer.alloc(9)), MDAT), false],
    ['padding behind', parts(FTYP, MOOV, MDAT, Buffer.alloc(4)), false],
    ['more padding behind', parts(FTYP, MOOV, MDAT, Buffer.alloc(4000)), false],
    ['no moov behind media of a stated length', parts(FTYP, MDAT), false],
    [
      'no moov behind media of an open length',
      parts(FTYP, box('mdat', Buffer.alloc(9, 1), 0)),
      true,
    ],
    ['nothing but its head', parts(FTYP), true],
    ['moov cut', parts(FTYP, MDAT, MOOV.subarray(0, -1)), true],
    ['mdat cut', parts(FTYP, MOOV, MDAT.subarray(0, -1)), true],
    [
      '64-bit length cut',
      parts(FTYP, MOOV, longBox('mdat', Buffer.alloc(100, 1)).subarray(0, 12)),
      true,
    ],
    ['reserved space instead of moov', parts(FTYP, MDAT, Buffer.alloc(4000)), true],
    ['reserved space instead of mdat', parts(FTYP, MOOV, Buffer.alloc(4000)), true],
  ])('MP4: %s', (_, bytes, truncated) => {
    expect(check('a.mp4', bytes)).toEqual({ kind: 'video', truncated });
    expect(check('A.MOV', bytes)).toEqual({ kind: 'video', truncated });
  });
  test.each([
    ['whole', riff('AVI ', Buffer.alloc(50_000, 1)), false],
    ['length not known', riff('AVI ', Buffer.alloc(50_000, 1), 0), false],
    ['further RIFF parts behind', riff('AVI ', Buffer.alloc(50_000, 1), 9000), false],
    ['cut', riff('AVI ', Buffer.alloc(50_000, 1), 90_000), true],
  ])('AVI: %s', (_, bytes, truncated) => {
    expect(check('a.avi', bytes)).toEqual({ kind: 'video', truncated });
  });
});

describe('kinds', () => {
  const latin = (text: string) =>
    Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(600, 0x81)]);
  test('an image under the extension of another is an image', async () => {
    expect(check('a.jpg', await sample('greyPng'))).toEqual(WHOLE.image);
    expect(check('a.PNG', tinyJpeg(1))).toEqual(WHOLE.image);
  });
  test.each([
    ['a.flv', latin('FLV\x01')],
    ['a.wmv', latin('\x30\x26\xb2\x75\x8e\x66\xcf\x11')],
    ['a.mpg', latin('\0\0\x01\xba')],
    ['a.mpeg', latin('\0\0\x01\xb3')],
    ['a.ogg', latin('OggS')],
    ['a.mkv', latin('\x1a\x45\xdf\xa3')],
    ['a.mpg', Buffer.alloc(1880, Buffer.concat([Buffer.from('G'), Buffer.alloc(187, 0xff)]))],
    ['a.mpg', latin('\xff\xfb\x90\x64')],
    ['a.3gp', Buffer.concat([FTYP, MDAT, MOOV])],
  ])('%s with bytes of a video, or bytes that say nothing, is a video', (name, bytes) => {
    expect(check(name, bytes)).toEqual(WHOLE.video);
  });
  test.each([
    ['a.jpg', latin('GIF89a')],
    ['a.jpg', box('ftyp', latin('heicheic'))],
    ['a.png', box('ftyp', latin('avifmif1'))],
    ['a.jpg', latin('%PDF-1.4')],
    ['a.jpg', Buffer.from('<html><body>Not found</body></html>')],
    ['a.jpg', latin('II*\0')],
    ['a.mp4', Buffer.from('<html><body>Not found</body></html>')],
    ['a.mp4', latin('PK\x03\x04')],
    ['a.mp4', tinyJpeg(1)],
    ['a.jpg', Buffer.concat([FTYP, MDAT, MOOV])],
    ['a.txt', tinyJpeg(1)],
    ['a.gif', latin('GIF89a')],
    ['jpg', tinyJpeg(1)],
    ['.jpg', tinyJpeg(1)],
    ['a.jpg.d/file', tinyJpeg(1)],
  ])('%s is not taken when its bytes or extension are of something else', (name, bytes) => {
    expect(check(name, bytes)).toEqual(NOT_TAKEN);
  });
  test.each(['a.jpg', 'a.png', 'a.webp', 'a.bmp', 'a.jp2'])(
    '%s of zeros is a reserved, unfilled image',
    (name) => {
      expect(check(name, Buffer.alloc(5000))).toEqual({ ...CUT.image, reserved: true });
      expect(check(name, Buffer.alloc(0))).toEqual({ ...CUT.image, reserved: true });
    },
  );
  test('hostile lengths end the walk', () => {
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(100_000, 0xff)]);
    expect(check('a.jpg', jpeg)).toEqual(CUT.image);
    const zeroLengths = Buffer.concat([
      FTYP,
      ...Array.from({ length: 5000 }, () => box('free', Buffer.alloc(0))),
    ]);
    expect(check('a.mp4', zeroLengths)).toEqual(CUT.video);
    const long = box('mdat', Buffer.alloc(8, 0xff), 1);
    expect(check('a.mp4', Buffer.concat([FTYP, MOOV, long]))).toEqual(CUT.video);
  });
});
