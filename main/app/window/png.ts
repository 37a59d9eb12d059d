/** Writes small PNG pictures, so that no picture has to be found at run time. */
import { crc32 } from 'node:zlib';

/** Red, green, blue (0–255) and opacity (0–255). */
export type Pixel = readonly [number, number, number, number];

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** The most that one block of a zlib stream holds. */
const BLOCK_BYTES = 65_535;

/** A zlib stream that is not compressed: a few kilobytes need no more. Pure. */
function stored(body: Buffer): Buffer {
  let low = 1;
  let high = 0;
  for (const byte of body) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const blocks: Buffer[] = [];
  for (let at = 0; at < body.length; at += BLOCK_BYTES) {
    const block = body.subarray(at, at + BLOCK_BYTES);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + BLOCK_BYTES >= body.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    blocks.push(head, block);
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(high * 65_536 + low, 0);
  return Buffer.concat([Buffer.from([0x78, 0x01]), ...blocks, sum]);
}

/** A square PNG of `size` pixels a side; `compress` makes the zlib stream. Pure. */
export function pngOf(
  size: number,
  pixelAt: (x: number, y: number) => Pixel,
  compress: (body: Buffer) => Buffer = stored,
): Buffer {
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      rows.set(pixelAt(x, y), y * (size * 4 + 1) + 1 + x * 4);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits per channel, red green blue and opacity.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
