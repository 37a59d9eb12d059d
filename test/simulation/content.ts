/** Content of user files: small media that pass every check, and a few that do not. */
import { tinyJpeg, tinyPng } from '../helpers/media.ts';
import type { Dice } from './dice.ts';

/** Media of one kind, distinct for each number. */
export function mediaContent(name: string, number: number): Buffer {
  if (name.endsWith('.mkv')) return mkv(number);
  const pad = (number * 37) % 1500;
  return /\.png$/i.test(name) ? tinyPng(number, pad) : tinyJpeg(number, pad);
}

/** Other content of exactly the same length. */
export function sameLength(content: Buffer): Buffer {
  const other = Buffer.from(content);
  const at = other.indexOf('sluice test');
  const mark = at < 0 ? Math.min(40, other.length - 1) : at;
  other[mark] = (other[mark] ?? 0) ^ 1;
  return other;
}

function mkv(number: number): Buffer {
  const head = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
  return Buffer.concat([head, Buffer.from(`video ${number} `.repeat(60 + (number % 50)))]);
}

const STEMS = ['cup', 'IMG_0001', 'Tasse №5', 'a#b', 'u\u0308ber', '-dash', 'Cup', '.dot x'];

/** A file name, sometimes one that is hard to transport, sometimes in a directory. */
export function drawName(dice: Dice, number: number, video: boolean): string {
  const odd = dice.chance(0.3);
  const stem = odd ? (STEMS[dice.int(0, STEMS.length - 1)] ?? 'cup') : `image-${number}`;
  const ending = video ? 'mkv' : dice.pick(['jpg', 'jpg', 'png', 'JPG']);
  const directory = dice.chance(0.2) ? `${dice.pick(['cam-a', 'cam-b'])}/` : '';
  return `${directory}${stem}.${ending}`;
}
