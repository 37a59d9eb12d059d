import { describe, expect, test } from 'vitest';
import { imageFacts, kindByName } from '../../service/imageFacts.ts';
import { NO_IMAGES, SAMPLES, sample, tinyJpeg, tinyPng } from '../../helpers/media.ts';

const IMAGES = [
  ['jpeg', 'jpeg'],
  ['smallJpeg', 'jpeg'],
  ['progressiveJpeg', 'jpeg'],
  ['phoneJpeg', 'jpeg'],
  ['alphaPng', 'png'],
  ['greyPng', 'png'],
  ['palettePng', 'png'],
  ['webp', 'webp'],
  ['losslessWebp', 'webp'],
] as const;

test.each(IMAGES)('%s has pixels', async (name, format) => {
  const facts = imageFacts(await sample(name));
  expect(facts?.format).toBe(format);
  expect(facts?.width).toBeGreaterThan(15);
  expect(facts?.height).toBeGreaterThan(15);
});

test('pixels are read, not guessed', () => {
  expect(imageFacts(tinyJpeg(1, 100_000))).toEqual({ format: 'jpeg', width: 16, height: 16 });
  expect(imageFacts(tinyPng(1))).toEqual({ format: 'png', width: 4, height: 4 });
  const bmp = Buffer.alloc(54);
  bmp.write('BM');
  bmp.writeInt32LE(640, 18);
  bmp.writeInt32LE(-480, 22);
  expect(imageFacts(bmp)).toEqual({ format: 'bmp', width: 640, height: 480 });
});

test.each(NO_IMAGES)('$name is no image', ({ content }) => {
  expect(imageFacts(content)).toBeNull();
});

test('every beginning of an image is an image or none, and never an exception', async () => {
  for (const [name] of IMAGES) {
    const content = await sample(name);
    for (let length = 0; length < 700; length += 1) {
      const facts = imageFacts(content.subarray(0, length));
      expect(facts === null || facts.width > 0).toBe(true);
    }
  }
});

describe('names', () => {
  test.each([
    ['a.JPG', 'images'],
    ['a.b.webp', 'images'],
    ['a.MP4', 'videos'],
    ['a.ogg', 'videos'],
    ['jpg', null],
    ['a.txt', null],
    ['a.', null],
    ['', null],
  ] as const)('%s: %s', (name, kind) => {
    expect(kindByName(name)).toBe(kind);
  });
  test('of all samples are of a kind', () => {
    for (const path of Object.values(SAMPLES)) expect(kindByName(path)).not.toBeNull();
  });
});
