/** Whether a listed name that only our content can have proves a video. A service may list it once it is registered, without an object. */
import { type SluiceError, sluiceError } from '../../core/errors.ts';
import type { StoredObject } from '../../service/serviceClient.ts';
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
  const error = object.ok ? interceptedBy(object.value) : object.error;
  if (error !== null) return { kind: 'unknown', error };
  const isEmpty = object.ok && (object.value.lengthBytes === 0 || object.value.isBodiless === true);
  return isEmpty && sizeBytes > 0 ? EMPTY : { kind: 'same', proof: null };
}

function interceptedBy({ lengthBytes, headers }: StoredObject): SluiceError | null {
  const isPage = lengthBytes === null && NO_MEDIA.test(headers['content-type'] ?? '');
  return isPage ? sluiceError('network.intercepted') : null;
}
