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
  return object.ok && sizeBytes > 0 && isEmpty(object.value)
    ? EMPTY
    : { kind: 'same', proof: null };
}

/** Some servers answer a request for a range of nothing with an empty body, not with 416. */
function isEmpty({ lengthBytes, headers }: StoredObject): boolean {
  return lengthBytes === 0 || headers['content-length'] === '0';
}

function interceptedBy({ lengthBytes, headers }: StoredObject): SluiceError | null {
  const isPage = lengthBytes === null && NO_MEDIA.test(headers['content-type'] ?? '');
  return isPage ? sluiceError('network.intercepted') : null;
}
