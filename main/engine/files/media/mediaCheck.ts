/** Checks a file's content: what it is, and whether it is complete. Finds half-copied files that stopped changing. */
import { assertNever } from '../../core/errors.ts';
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

function endMissing(family: ByteFamily, source: ByteSource): boolean {
  switch (family) {
    case 'jpeg':
      return jpegCut(source);
    case 'png':
      return pngCut(source);
    case 'webp':
      return webpCut(source);
    case 'bmp':
      return bmpCut(source);
    case 'jp2':
      return jp2Cut(source);
    case 'j2k':
      return codestreamCut(source, source.sizeBytes);
    case 'mp4':
      return mp4Cut(source);
    case 'avi':
      return aviCut(source);
    case 'zeros':
      // The start is all zeros: space that a copying program reserved and has not filled.
      return true;
    case 'video':
    case 'foreign':
    case 'unknown':
      return false;
    default:
      return assertNever(family);
  }
}

/** Determines from extension and bytes what a file is and whether it is cut. Reads little of a large file. */
export function checkMedia(path: string, source: ByteSource): MediaFinding {
  const family = familyOf(source.read(0, SNIFF_BYTES));
  const kind = kindOf(extensionOf(path), family);
  if (kind === null) return { kind, truncated: false };
  if (kind === 'image' && !worthChecking(source)) return { kind, truncated: false };
  const truncated = endMissing(family, source);
  return family === 'zeros' ? { kind, truncated, reserved: true } : { kind, truncated };
}
