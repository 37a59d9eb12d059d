/** Whether the end of a video is missing. Reads only headers; returns true for "cut", false whenever the format leaves doubt. */
import type { ByteSource } from '../byteSource.ts';

/** How many bytes shorter an AVI may be than its header says: writers are sloppy, players do not mind. */
const AVI_SLACK_BYTES = 4096;
/** Boxes checked before a file counts as complete: a long fragmented recording has tens of thousands. */
const MAX_BOXES = 200_000;

/**
 * The box at a position; null when there is none (padding, zeros, garbage). `end`: where the next box begins. `open`: the box extends to
 * the end of the file, so its writer may not be finished.
 */
function boxAt(source: ByteSource, at: number) {
  const head = source.read(at, 16);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const short = view.getUint32(0);
  const type = String.fromCharCode(...head.subarray(4, 8));
  if (!/^[\x20-\x7e\xa9][\x20-\x7e]{3}$/.test(type)) return null;
  if (short === 0) return { type, end: source.sizeBytes, open: true };
  if (short !== 1) return short < 8 ? null : { type, end: at + short, open: false };
  // A 64-bit length that does not even fit in the file: the box is certainly cut.
  if (head.length < 16) return { type, end: Infinity, open: false };
  const long = Number(view.getBigUint64(8));
  return long < 16 ? null : { type, end: at + long, open: false };
}

/**
 * MP4, MOV and related formats: the top-level boxes must be complete. The box that makes it playable (moov) may be missing only
 * after media of a stated length: a recorder that is not finished leaves the length open.
 */
export function mp4Cut(source: ByteSource): boolean {
  const seen = new Set<string>();
  let at = 0;
  for (let boxes = 0; at + 8 <= source.sizeBytes; boxes += 1) {
    if (boxes > MAX_BOXES) return false;
    const box = boxAt(source, at);
    // Padding after everything is harmless; padding where media should follow is space reserved by a copying program.
    if (box === null) return !seen.has('moov') || !(seen.has('mdat') || seen.has('moof'));
    if (box.end > source.sizeBytes) return true;
    seen.add(box.open ? `${box.type} open` : box.type);
    at = box.end;
  }
  return !seen.has('moov') && !seen.has('mdat');
}

/** AVI: about as long as its header says; 0 means "unknown" in recordings made as a stream. */
export function aviCut(source: ByteSource): boolean {
  const head = source.read(4, 4);
  if (head.length < 4) return true;
  const declared = new DataView(head.buffer, head.byteOffset, 4).getUint32(0, true);
  if (declared === 0 || declared === 0xffff_ffff) return false;
  return declared + 8 > source.sizeBytes + AVI_SLACK_BYTES;
}
