/** Whether a listed name that only our content can have proves a video. A service may list it once it is registered, without an object. */
import { sluiceError } from '../../core/errors.ts';
import type { OwnFile } from '../../store/queue/awaited.ts';
import type { Pipeline } from '../context.ts';
import { type ContentMatch, EMPTY, NO_MEDIA } from './sameContent.ts';

/** `same` if the object exists. Never throws. */
export async function compareName(
  pipeline: Pipeline,
  url: string,
  { sizeBytes }: Pick<OwnFile, 'sizeBytes'>,
): Promise<ContentMatch> {
  const object = await pipeline.client.describeSigned(url, pipeline.signal);
  if (!object.ok) return { kind: 'unknown', error: object.error };
  const { lengthBytes, headers, isBodiless = false } = object.value;
  if (lengthBytes === null && NO_MEDIA.test(headers['content-type'] ?? ''))
    return { kind: 'unknown', error: sluiceError('network.intercepted') };
  const isEmpty = lengthBytes === 0 || isBodiless;
  return isEmpty && sizeBytes > 0 ? EMPTY : { kind: 'same', proof: null };
}
