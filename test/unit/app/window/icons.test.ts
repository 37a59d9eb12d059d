/** The icons exist, are complete, and come in every size that a system needs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrayState } from '../../../../main/app/window/pictures.ts';

const RESOURCES = join(import.meta.dirname, '../../../../build/resources');
const STATES: readonly TrayState[] = ['idle', 'sending', 'paused', 'attention'];

function read(...path: string[]): Promise<Buffer> {
  return readFile(join(RESOURCES, ...path));
}

/** The side of a square PNG. */
function sideOf(png: Buffer): number {
  expect(png.toString('latin1', 1, 4)).toBe('PNG');
  expect(png.toString('latin1', png.length - 8, png.length - 4)).toBe('IEND');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  expect(width).toBe(height);
  return width;
}

test('the tray has a picture of its own for each state, also for dense screens', async () => {
  const bodies = new Set<string>();
  for (const state of STATES) {
    const usual = await read('pictures', `tray-${state}.png`);
    expect(sideOf(usual)).toBe(16);
    expect(sideOf(await read('pictures', `tray-${state}@2x.png`))).toBe(32);
    bodies.add(usual.toString('base64'));
  }
  expect(bodies.size).toBe(STATES.length);
  expect(sideOf(await read('pictures', 'window.png'))).toBe(128);
});

test('the icons of the installed application have the sizes that their systems want', async () => {
  for (const name of await readdir(join(RESOURCES, 'icons'))) {
    const side = sideOf(await read('icons', name));
    expect(name).toBe(`${side}x${side}.png`);
  }
  const ico = await read('icon.ico');
  const sides = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => ico[6 + index * 16]);
  // 256 is stored as 0.
  expect(sides).toEqual([16, 24, 32, 48, 64, 128, 0]);
  const icns = await read('icon.icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  // 1024 pixels.
  expect(icns.includes('ic10')).toBe(true);
});
