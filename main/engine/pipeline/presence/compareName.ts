/** Whether a listed name that only our content can have proves a video. A service may list it once it is registered, without an object. */
import { sluiceError } from '../../core/errors.ts';
import type { OwnFile } from '../../store/queue/awaited.ts';
import type { Pipeline } from '../context.ts';
import { type ContentMatch, EMPTY, NO_MEDIA } from './sameContent.ts';

/** `same` if the object exists and, if it may be a part of our file, is no shorter. Never throws. */
export async function compareName(
  pipeline: Pipeline,
  url: string,
  { sizeBytes }: Pick<OwnFile, 'sizeBytes'>,
  mayBePart: boolean,
): Promise<ContentMatch> {
  const object = await pipeline.client.describeSigned(url, pipeline.signal);
  if (!object.ok) return { kind: 'unknown', error: object.error };
  const { lengthBytes, headers, isBodiless = false } = object.value;
  if (lengthBytes === null && NO_MEDIA.test(headers['content-type'] ?? ''))
    return { kind: 'unknown', error: sluiceError('network.intercepted') };
  if ((lengthBytes === 0 || isBodiless) && sizeBytes > 0) return EMPTY;
  // Some storages keep what they received before the connection broke.
  const isPart = mayBePart && (lengthBytes ?? sizeBytes) < sizeBytes;
  return isPart ? { kind: 'different' } : { kind: 'same', proof: null };
}
