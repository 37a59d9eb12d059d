/** The sample media and the generated images are what they claim to be. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileTypeFromBuffer } from 'file-type';
import { describe, expect, test } from 'vitest';
import {
  halfWritten,
  MEDIA_DIRECTORY,
  sample,
  tinyImages,
  tinyJpeg,
  tinyPng,
  truncated,
} from '../../helpers/media.ts';

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Every chunk of a PNG with its stated and its real checksum. */
function pngChunks(png: Buffer): readonly { type: string; stated: number; real: number }[] {
  const chunks = [];
  for (let at = 8; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    const stated = png.readUInt32BE(end);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, stated, real: crc32(png.subarray(at + 4, end)) });
    at = end + 4;
  }
  return chunks;
}

test('images made in code differ, keep their type, and are the same for the same number', async () => {
  const images = [...tinyImages(2000)];
  expect(new Set(images.map(({ content }) => digest(content))).size).toBe(2000);
  expect(new Set(images.map(({ name }) => name)).size).toBe(2000);
  expect(tinyJpeg(7)).toEqual(tinyJpeg(7));
  expect((await fileTypeFromBuffer(tinyJpeg(7)))?.mime).toBe('image/jpeg');
  expect((await fileTypeFromBuffer(tinyPng(7)))?.mime).toBe('image/png');
});

test('padding is inside the image', () => {
  const jpeg = tinyJpeg(1, 200_000);
  expect(jpeg.length).toBeGreaterThan(200_000);
  expect([...jpeg.subarray(-2)]).toEqual([0xff, 0xd9]);
  expect(tinyPng(1, 100_000).length).toBeGreaterThan(100_000);
});

test.each([0, 5000])('the check sums of a PNG with %i bytes of padding are right', (pad) => {
  const chunks = pngChunks(tinyPng(3, pad));
  expect(chunks.at(-1)?.type).toBe('IEND');
  for (const { stated, real } of chunks) expect(stated).toBe(real);
});

test('broken variants: shorter, and full length without the end', async () => {
  const jpeg = await sample('jpeg');
  expect(truncated(jpeg).length).toBeLessThan(jpeg.length);
  expect(halfWritten(jpeg).length).toBe(jpeg.length);
  expect(halfWritten(jpeg).equals(jpeg)).toBe(false);
});

describe('committed samples', async () => {
  const paths = await readdir(MEDIA_DIRECTORY, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    paths
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map(async (entry) => readFile(join(entry.parentPath, entry.name))),
  );

  test('35 images, of which one is a copy, and two videos', async () => {
    const types = await Promise.all(
      files.map(async (file) => (await fileTypeFromBuffer(file))?.mime),
    );
    expect(types.filter((type) => type?.startsWith('image/'))).toHaveLength(35);
    expect(types.filter((type) => type?.startsWith('video/'))).toHaveLength(2);
    expect(new Set(files.map(digest)).size).toBe(files.length - 1);
    expect(digest(await sample('copyOfJpeg'))).toBe(digest(await sample('jpeg')));
  });
});
