/**
 * `node build/icons.ts`: draws the icons that the installed application needs into build/resources. They are committed, because
 * drawing is for who changes the picture (main/app/window/appIcon.ts), not for who packs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { appIcon } from '../main/app/window/appIcon.ts';

const PLACE = join(import.meta.dirname, 'resources');
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** Kinds of pictures in an .icns file by their size. */
const ICNS_KINDS = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
] as const;

const draw = (size: number): Buffer => appIcon(size, (body) => deflateSync(body, { level: 9 }));

/** Windows: a table of pictures, then the pictures. Pure. */
export function icoOf(pictures: readonly { size: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + pictures.length * 16);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let at = head.length;
  for (const [index, { size, png }] of pictures.entries()) {
    const row = 6 + index * 16;
    // 256 is written as 0.
    head.writeUInt8(size % 256, row);
    head.writeUInt8(size % 256, row + 1);
    head.writeUInt16LE(1, row + 4);
    head.writeUInt16LE(32, row + 6);
    head.writeUInt32LE(png.length, row + 8);
    head.writeUInt32LE(at, row + 12);
    at += png.length;
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)]);
}

/** macOS: each picture with its kind and length. Pure. */
export function icnsOf(pictures: readonly { kind: string; png: Buffer }[]): Buffer {
  const parts = pictures.map(({ kind, png }) => frame(kind, png));
  return frame('icns', Buffer.concat(parts));
}

function frame(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

if (import.meta.main) {
  await mkdir(PLACE, { recursive: true });
  const ico = icoOf(ICO_SIZES.map((size) => ({ size, png: draw(size) })));
  const icns = icnsOf(ICNS_KINDS.map(([kind, size]) => ({ kind, png: draw(size) })));
  await writeFile(join(PLACE, 'icon.png'), draw(512));
  await writeFile(join(PLACE, 'icon.ico'), ico);
  await writeFile(join(PLACE, 'icon.icns'), icns);
}
