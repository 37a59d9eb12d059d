import { readFile, stat } from 'node:fs/promises';
import { nativeImage } from 'electron';
import { pathOnDisk } from '../../engine/queries/pathOnDisk.ts';

/** small: for a list row. large: for viewing. */
export type PictureSize = 'small' | 'large';

const SIZES = { small: 96, large: 1200 } as const;
/** Decoding a larger picture would block the process. Our choice. */
const MAX_SOURCE_BYTES = 12 * 1024 * 1024;
/** The Chromium host cannot resize: it returns the whole file. */
const MAX_CHARACTERS = { small: 256 * 1024, large: 16 * 1024 * 1024 } as const;

/** A picture of a file within the given size; null when none can be made. */
export async function pictureOf(
  path: string,
  size: PictureSize,
): Promise<{ dataUrl: string } | null> {
  try {
    const side = SIZES[size];
    if (process.platform !== 'linux') {
      const thumbnail = await nativeImage.createThumbnailFromPath(path, {
        width: side,
        height: side,
      });
      return { dataUrl: thumbnail.toDataURL() };
    }
    const real = pathOnDisk(path);
    if ((await stat(real)).size > MAX_SOURCE_BYTES) return null;
    const image = nativeImage.createFromBuffer(await readFile(real));
    if (image.isEmpty()) return null;
    const isSmaller = image.getSize().height <= side;
    const dataUrl = (isSmaller ? image : image.resize({ height: side })).toDataURL();
    return dataUrl.length > MAX_CHARACTERS[size] ? null : { dataUrl };
  } catch {
    return null;
  }
}
