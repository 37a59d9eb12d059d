/** Unpacks answers that are compressed although that was not requested: some storages keep objects compressed and send them so. */
import { pipeline } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type { HttpAnswer } from '../../core/ports.ts';
import { hasZlibHeader } from './deflateHeader.ts';

/** Each makes an unpacker for a body that begins with these bytes. */
const UNPACKERS = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (head: Uint8Array) => (hasZlibHeader(head) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
} as const;

function isKnown(encoding: string): encoding is keyof typeof UNPACKERS {
  return Object.hasOwn(UNPACKERS, encoding);
}

/** The stream keeps several chunks at once, but the buffer of a chunk may be reused for the next one. */
async function* copies(body: HttpAnswer['body']): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}

/** The chunks again, with the first one already there; an error of the body comes while the chunks are read. */
async function* begunWith(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done !== true) yield first.value;
  yield* rest;
}

async function* unpacked(
  { body }: HttpAnswer,
  encoding: keyof typeof UNPACKERS,
): AsyncGenerator<Uint8Array> {
  const packed = copies(body);
  const first = await packed.next();
  const unpacker = UNPACKERS[encoding](first.done === true ? Buffer.alloc(0) : first.value);
  // The reader of the unpacker gets its error.
  pipeline(begunWith(first, packed), unpacker, () => undefined);
  try {
    for await (const chunk of unpacker) yield chunk;
  } catch (error) {
    if (error instanceof SluiceFailure) throw error;
    throw new SluiceFailure(sluiceError('network.lost', { reason: 'the packed body is damaged' }));
  }
}

/**
 * The answer with its body unpacked. The length and checksums in its headers are those of the packed bytes, so only the type
 * is kept; gzip's own checksum is verified while reading. Reading throws network.lost when the body is damaged. null for a
 * range of a packed body, or one packed in an unknown way.
 */
export function unpackedAnswer(answer: HttpAnswer): HttpAnswer | null {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return answer;
  if (answer.status !== 200 || !isKnown(encoding)) return null;
  const type = answer.headers['content-type'];
  const dispose = (): void => {
    answer.body.dispose();
  };
  return {
    ...answer,
    headers: type === undefined ? {} : { 'content-type': type },
    body: Object.assign(unpacked(answer, encoding), { dispose }),
  };
}
