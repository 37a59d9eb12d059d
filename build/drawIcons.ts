/** Exports the application's pictures from build/resources/icon.svg, using the tests' Chromium: `node build/drawIcons.ts`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findChromium } from './findChromium.ts';

const RESOURCES = join(import.meta.dirname, 'resources');
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024] as const;
/** The types of PNG pictures in an Apple icon, by width. */
const ICNS: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['icp6', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];
const ICO = [16, 24, 32, 48, 64, 128, 256];

/** A Windows icon: a directory of PNG pictures. 0 means 256. */
function icoOf(pictures: readonly (readonly [size: number, png: Buffer])[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  pictures.forEach(([size, png], index) => {
    const at = 6 + 16 * index;
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  });
  return Buffer.concat([head, ...pictures.map(([, png]) => png)]);
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
}

const svg = await readFile(join(RESOURCES, 'icon.svg'), 'utf8');
const found = await findChromium('windows');
const browser = await chromium.launch({
  ...(found === null ? {} : { executablePath: found }),
  args: ['--no-sandbox'],
});
const drawn = new Map<number, Buffer>();
try {
  const page = await browser.newPage();
  for (const size of SIZES) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>html,body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    );
    drawn.set(size, await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}

const picture = (size: number): Buffer => drawn.get(size) ?? Buffer.alloc(0);
await mkdir(join(RESOURCES, 'icons'), { recursive: true });
for (const size of SIZES.filter((one) => one <= 512)) {
  await writeFile(join(RESOURCES, 'icons', `${size}x${size}.png`), picture(size));
}
await writeFile(join(RESOURCES, 'pictures/window.png'), picture(128));
await writeFile(
  join(RESOURCES, 'icon.ico'),
  icoOf(ICO.map((size) => [size, picture(size)] as const)),
);
const icns = ICNS.map(([type, size]) => chunk(type, picture(size)));
await writeFile(join(RESOURCES, 'icon.icns'), chunk('icns', Buffer.concat(icns)));
