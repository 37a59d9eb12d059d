/** An answer whose body comes packed although it was asked for as it is: some storages keep objects packed and give them so. */
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type { HttpAnswer } from '../../core/ports.ts';

const UNPACKERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

function isKnown(encoding: string): encoding is keyof typeof UNPACKERS {
  return Object.hasOwn(UNPACKERS, encoding);
}

/** The stream keeps several chunks at once, and the buffer of a chunk may be used again for the next one. */
async function* copies(body: HttpAnswer['body']): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}

async function* unpacked(
  { body }: HttpAnswer,
  encoding: keyof typeof UNPACKERS,
): AsyncGenerator<Uint8Array> {
  const unpacker = UNPACKERS[encoding]();
  // An error reaches the reader of the unpacker.
  pipeline(copies(body), unpacker, () => undefined);
  try {
    for await (const chunk of unpacker) yield chunk;
  } catch (error) {
    if (error instanceof SluiceFailure) throw error;
    throw new SluiceFailure(sluiceError('network.lost', { reason: 'the packed body is damaged' }));
  }
}

/**
 * The answer as it would be unpacked. What its headers state of length and checksums is of the packed bytes, so only the type
 * is kept; what gzip states of its content is checked while it is read. Reading throws network.lost when that is damaged.
 * null: a part of a packed body, or one packed in a way that is not known here.
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
