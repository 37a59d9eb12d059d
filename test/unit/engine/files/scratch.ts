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

/** The value of a result that must be a success. */
export function valueOf<T>(
  result:
    { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(`unexpected failure: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The code of a result that must be a failure. */
export function codeOf(
  result: { readonly ok: true } | { readonly ok: false; readonly error: { readonly code: string } },
): string {
  return result.ok ? 'no failure' : result.error.code;
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
