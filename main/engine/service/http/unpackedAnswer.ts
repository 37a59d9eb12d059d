/**
 * Decompresses answers that are compressed although that was not requested: some storages keep objects compressed and send them that way.
 */
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
import { giveBack } from '../../core/receiveMemory.ts';

/**
 * In a zlib header, the low half of the first byte names the method; a compressed body without the header does not begin with this value.
 */
const METHOD = { mask: 0x0f, deflate: 8 } as const;

/** Whether "deflate" has the header that the standard asks for; some servers leave it out. True when there are no bytes. */
function hasZlibHeader([first]: Uint8Array): boolean {
  return first === undefined || (first & METHOD.mask) === METHOD.deflate;
}

/** Makes a decompressor for each encoding, for a body that begins with the given bytes. */
const UNPACKERS = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (head: Uint8Array) => (hasZlibHeader(head) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
} as const;

function encodingOf({ headers }: HttpAnswer): string {
  return headers['content-encoding']?.trim().toLowerCase() ?? '';
}

function isKnown(encoding: string): encoding is keyof typeof UNPACKERS {
  return Object.hasOwn(UNPACKERS, encoding);
}

/** The stream keeps several chunks at once, but the memory of a chunk may be reused for the next one. */
async function* copies(body: HttpAnswer['body']): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    const copy = Buffer.from(chunk);
    giveBack(chunk);
    yield copy;
  }
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
  body: HttpAnswer['body'],
  encoding: keyof typeof UNPACKERS,
): AsyncGenerator<Uint8Array> {
  const packed = copies(body);
  const first = await packed.next();
  const unpacker = UNPACKERS[encoding](first.done === true ? Buffer.alloc(0) : first.value);
  // The code that reads the decompressor gets the error.
  pipeline(begunWith(first, packed), unpacker, () => undefined);
  for await (const chunk of unpacker) yield chunk;
}

/** The bytes of an answer, decompressed unless the encoding is unknown. Reading throws the decompressor's error when they are damaged. */
export function unpackedBytes(answer: HttpAnswer): AsyncIterable<Uint8Array> {
  const encoding = encodingOf(answer);
  return isKnown(encoding) ? unpacked(answer.body, encoding) : answer.body;
}

async function* whole(answer: HttpAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* unpackedBytes(answer);
  } catch (error) {
    if (error instanceof SluiceFailure) throw error;
    throw new SluiceFailure(sluiceError('network.lost', { reason: 'the packed body is damaged' }));
  }
}

/**
 * The answer with its body decompressed. The length and checksums in its headers are those of the compressed bytes, so only the content
 * type is kept; gzip's own checksum is verified while reading. Reading throws network.lost when the body is damaged. null for a range of a
 * compressed body, or for an unknown encoding.
 */
export function unpackedAnswer(answer: HttpAnswer): HttpAnswer | null {
  const encoding = encodingOf(answer);
  if (encoding === '' || encoding === 'identity') return answer;
  if (answer.status !== 200 || !isKnown(encoding)) return null;
  const type = answer.headers['content-type'];
  const dispose = (): void => {
    answer.body.dispose();
  };
  return {
    ...answer,
    headers: type === undefined ? {} : { 'content-type': type },
    body: Object.assign(whole(answer), { dispose }),
  };
}
