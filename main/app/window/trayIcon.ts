/** The tray's picture, drawn here: a ring whose middle says how things are. */
import { pngOf } from './png.ts';

/** How things are, as a colour. */
export type TrayState = 'idle' | 'sending' | 'paused' | 'attention';

const SIZE = 32;
const COLOURS: Readonly<Record<TrayState, readonly [number, number, number]>> = {
  idle: [124, 132, 148],
  sending: [34, 150, 150],
  paused: [196, 160, 40],
  attention: [214, 64, 69],
};

function opacity(x: number, y: number): number {
  const middle = (SIZE - 1) / 2;
  const distance = Math.hypot(x - middle, y - middle);
  const ring = 1 - Math.min(1, Math.abs(distance - 12.5) / 2.5);
  const disc = Math.min(1, Math.max(0, 7.5 - distance));
  return Math.max(ring, disc);
}

/** A PNG of 32 × 32 pixels. Pure. */
export function trayPng(state: TrayState): Buffer {
  return pngOf(SIZE, (x, y) => [...COLOURS[state], Math.round(opacity(x, y) * 255)]);
}
