/** Checks a file's content: what it is, and whether it is complete. Finds half-copied files that stopped changing. */
import type { Inspection } from '../../core/model.ts';
import type { ByteSource } from '../byteSource.ts';
import {
  bmpCut,
  codestreamCut,
  jp2Cut,
  jpegCut,
  pngCut,
  webpCut,
  worthChecking,
} from './imageEnd.ts';
import { type ByteFamily, extensionOf, familyOf, kindOf, SNIFF_BYTES } from './mediaKind.ts';
import { aviCut, mp4Cut } from './videoEnd.ts';

export type MediaFinding = Pick<Inspection, 'kind' | 'truncated' | 'reserved'>;

/** Whether the end of a file is missing, by family. */
const END_MISSING: Readonly<Record<ByteFamily, (source: ByteSource) => boolean>> = {
  jpeg: jpegCut,
  png: pngCut,
  webp: webpCut,
  bmp: bmpCut,
  jp2: jp2Cut,
  j2k: (source) => codestreamCut(source, source.sizeBytes),
  mp4: mp4Cut,
  avi: aviCut,
  // The start is all zeros: space that a copying program reserved and has not filled.
  zeros: () => true,
  video: () => false,
  foreign: () => false,
  unknown: () => false,
};

/** Determines from extension and bytes what a file is and whether it is cut. Reads little of a large file. */
export function checkMedia(path: string, source: ByteSource): MediaFinding {
  const family = familyOf(source.read(0, SNIFF_BYTES));
  const kind = kindOf(extensionOf(path), family);
  if (kind === null) return { kind, truncated: false };
  if (kind === 'image' && !worthChecking(source)) return { kind, truncated: false };
  const truncated = END_MISSING[family](source);
  return family === 'zeros' ? { kind, truncated, reserved: true } : { kind, truncated };
}
