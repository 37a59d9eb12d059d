/** How far uploads are, as the window, the tray and the taskbar show it. Pure. */
import type { ByteProgress } from './snapshot.ts';

/** Bytes that have left this computer. */
export function bytesGone({ confirmed, sent, onWire }: ByteProgress): number {
  return confirmed + sent + onWire;
}

/** How much of the work is done, 0 to 1; less than 1 until the last file is confirmed. */
export function doneFraction(bytes: ByteProgress): number {
  if (bytes.total === 0) return 0;
  const fraction = bytesGone(bytes) / bytes.total;
  return bytes.confirmed < bytes.total ? Math.min(0.99, fraction) : 1;
}
