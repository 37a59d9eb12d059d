/** The pictures and videos that Quick Look shows: files of the ledger by id, whole or in ranges, as video playback requests them. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { pathOnDisk } from '../../engine/queries/pathOnDisk.ts';

/** The formats the service accepts that Chromium can show. */
const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.jpe': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.dib': 'image/bmp',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/mp4',
  '.webm': 'video/webm',
  '.mkv': 'video/webm',
  '.ogg': 'video/ogg',
};

/** The item that an address asks for, `/media/ID`; null for any other. Pure. */
export function mediaId(pathname: string): number | null {
  const [, id] = /^\/media\/([1-9]\d{0,15})$/.exec(pathname) ?? [];
  return id === undefined ? null : Number(id);
}

/** The first and last byte that a header asks for; null for the whole file, also when the header is not understood. Pure. */
export function rangeOf(
  header: string | null,
  sizeBytes: number,
): { from: number; until: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const until = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return from > until ? null : { from, until };
}

/**
 * Answers a request for an item's file or a part of it; null when it asks for something else or the file cannot be shown. `realPath`:
 * the item's path without links.
 */
export async function answerMedia(
  request: Request,
  realPath: (id: number) => Promise<string | null>,
  headers: Readonly<Record<string, string>>,
): Promise<Response | null> {
  const id = mediaId(new URL(request.url).pathname);
  const path = id === null ? null : await realPath(id);
  if (path === null) return null;
  try {
    const real = pathOnDisk(path);
    const type = TYPES[extname(path).toLowerCase()];
    const { size } = await stat(real);
    if (type === undefined || size === 0) return null;
    const range = rangeOf(request.headers.get('range'), size);
    const { from, until } = range ?? { from: 0, until: size - 1 };
    // Opened first: a stream that fails to open its file would break the response midway.
    await (await open(real)).close();
    return new Response(webStream(createReadStream(real, { start: from, end: until })), {
      status: range === null ? 200 : 206,
      headers: {
        ...headers,
        'content-type': type,
        'accept-ranges': 'bytes',
        'content-length': String(until - from + 1),
        ...(range === null ? {} : { 'content-range': `bytes ${from}-${until}/${size}` }),
      },
    });
  } catch {
    return null;
  }
}

function webStream(stream: Readable): ReadableStream<Uint8Array> {
  const chunks = stream.iterator();
  return new ReadableStream({
    pull: async (controller) => {
      const { done = false, value } = await chunks.next();
      if (done) controller.close();
      else if (value instanceof Uint8Array) controller.enqueue(value);
    },
    cancel: () => void stream.destroy(),
  });
}
