/** The tray's picture, drawn here: a ring whose middle says how things are. No file has to be found at run time. */
import { crc32 } from 'node:zlib';

/** How things are, as a colour. */
export type TrayState = 'idle' | 'sending' | 'paused' | 'attention';

const SIZE = 32;
const COLOURS: Readonly<Record<TrayState, readonly [number, number, number]>> = {
  idle: [124, 132, 148],
  sending: [64, 120, 242],
  paused: [196, 160, 40],
  attention: [214, 64, 69],
};

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A zlib stream of one block that is not compressed: four kilobytes need no more. Pure. */
function stored(body: Buffer): Buffer {
  let low = 1;
  let high = 0;
  for (const byte of body) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const frame = Buffer.alloc(11);
  frame.set([0x78, 0x01, 0x01]);
  frame.writeUInt16LE(body.length, 3);
  frame.writeUInt16LE(~body.length & 0xffff, 5);
  frame.writeUInt32BE(high * 65_536 + low, 7);
  return Buffer.concat([frame.subarray(0, 7), body, frame.subarray(7)]);
}

function opacity(x: number, y: number): number {
  const middle = (SIZE - 1) / 2;
  const distance = Math.hypot(x - middle, y - middle);
  const ring = 1 - Math.min(1, Math.abs(distance - 12.5) / 2.5);
  const disc = Math.min(1, Math.max(0, 7.5 - distance));
  return Math.max(ring, disc);
}

/** A PNG of 32 × 32 pixels. Pure. */
export function trayPng(state: TrayState): Buffer {
  const rows: number[] = [];
  for (let y = 0; y < SIZE; y += 1) {
    rows.push(0);
    for (let x = 0; x < SIZE; x += 1) {
      rows.push(...COLOURS[state], Math.round(opacity(x, y) * 255));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // 8 bits per channel, red green blue and opacity.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', stored(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
