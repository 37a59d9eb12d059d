/** Pictures that are drawn: whole PNG files, and the icons of the installed application as they are drawn now. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { icnsOf, icoOf } from '../../../build/icons.ts';
import { appIcon } from '../../../main/app/window/appIcon.ts';
import { trayPng } from '../../../main/app/window/trayIcon.ts';

const RESOURCES = join(import.meta.dirname, '../../../build/resources');

/** The rows of a PNG; fails when a chunk is damaged. */
function rowsOf(png: Buffer): Buffer {
  expect(png.toString('latin1', 1, 4)).toBe('PNG');
  const data: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const named = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(named));
    if (named.toString('latin1', 0, 4) === 'IDAT') data.push(named.subarray(4));
    at += 12 + length;
  }
  return inflateSync(Buffer.concat(data));
}

test('every picture is a whole PNG of its size, also beyond one stored block', () => {
  expect(rowsOf(trayPng('idle'))).toHaveLength(32 * (32 * 4 + 1));
  expect(rowsOf(appIcon(128))).toHaveLength(128 * (128 * 4 + 1));
});

test('the icon is clear at its corner, and coloured in its middle', () => {
  const rows = rowsOf(appIcon(64));
  const opacityAt = (x: number, y: number): number | undefined =>
    rows[y * (64 * 4 + 1) + x * 4 + 4];
  expect(opacityAt(0, 0)).toBe(0);
  expect(opacityAt(32, 32)).toBe(255);
});

test('the committed icons are what is drawn now (node build/icons.ts)', async () => {
  const png = await readFile(join(RESOURCES, 'icon.png'));
  expect(rowsOf(png).equals(rowsOf(appIcon(512)))).toBe(true);
  const ico = await readFile(join(RESOURCES, 'icon.ico'));
  const [width, length, at] = [ico.readUInt8(6), ico.readUInt32LE(14), ico.readUInt32LE(18)];
  expect(rowsOf(ico.subarray(at, at + length)).equals(rowsOf(appIcon(width)))).toBe(true);
  const icns = await readFile(join(RESOURCES, 'icon.icns'));
  expect(icns.readUInt32BE(4)).toBe(icns.length);
});

test('a table of pictures says where each begins', () => {
  const png = Buffer.from('abc');
  const ico = icoOf([
    { size: 16, png },
    { size: 256, png },
  ]);
  expect([ico.readUInt8(6), ico.readUInt8(22)]).toEqual([16, 0]);
  expect(ico.subarray(ico.readUInt32LE(34)).toString()).toBe('abc');
  expect(icnsOf([{ kind: 'ic07', png }]).toString('latin1', 8, 12)).toBe('ic07');
});
