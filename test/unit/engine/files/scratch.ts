/** What tests of files share. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNLIMITED } from '../../../../main/engine/core/paced.ts';
import type { SourceOptions } from '../../../../main/engine/core/ports.ts';
import { tinyJpeg } from '../../../helpers/media.ts';

/** Writes distinct small images; returns their paths. */
export function imagesIn(directory: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(directory, `${index}.jpg`);
    writeFileSync(path, tinyJpeg(index));
    return path;
  });
}

export const NEVER = new AbortController().signal;

/** No rate limit, and no progress reports. */
export const PLAIN: SourceOptions = {
  throttle: UNLIMITED,
  withMd5: false,
  onSent: () => undefined,
};

/** All bytes of a stream, copied because it may reuse its memory. */
export async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(Uint8Array.from(chunk));
  return Buffer.concat(pieces);
}
