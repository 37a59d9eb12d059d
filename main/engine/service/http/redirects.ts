/** Where an answer redirects to, and whether the request may follow: the key never leaves its origin. Pure. */
import type { HttpAnswer, HttpRequest } from '../../core/ports.ts';
import type { RequestClass } from '../../evidence/answers.ts';

/** Most redirects followed in a row; more count as a loop. Our choice. */
export const MOST_REDIRECTS = 5;

const KEEPS_METHOD = [307, 308];
const SENDS_ON = [301, 302, 303, ...KEEPS_METHOD];

/** The address that an answer redirects to; null when it does not redirect. */
export function sentOnTo(answer: Pick<HttpAnswer, 'status' | 'headers'>, from: string): URL | null {
  const location = answer.headers['location'];
  if (location === undefined || !SENDS_ON.includes(answer.status)) return null;
  return URL.canParse(location, from) ? new URL(location, from) : null;
}

/**
 * The same request to the address that the answer redirects to; null when it must not go there. A signed download address
 * holds no key and may redirect to another host, but never from https to http; anything else stays at its origin. A streamed
 * body is read again: 307 and 308 say that nothing was done with it.
 */
export function followed(
  answer: Pick<HttpAnswer, 'status' | 'headers'>,
  requestClass: RequestClass,
  request: HttpRequest,
): HttpRequest | null {
  const to = sentOnTo(answer, request.url);
  if (to === null || !/^https?:$/.test(to.protocol)) return null;
  const from = new URL(request.url);
  if (request.method !== 'GET' && !KEEPS_METHOD.includes(answer.status)) return null;
  if (to.origin !== from.origin) {
    const mayLeave = requestClass === 'download' && request.method === 'GET';
    const isDowngrade = from.protocol === 'https:' && to.protocol !== 'https:';
    if (!mayLeave || isDowngrade || to.username !== '' || to.password !== '') return null;
    return { ...request, url: to.href };
  }
  // A redirect to another spelling of the path often leaves out the query.
  if (requestClass !== 'download' && to.search === '') to.search = from.search;
  const key = from.searchParams.get('api_key');
  if (requestClass !== 'download' && key !== null) to.searchParams.set('api_key', key);
  return { ...request, url: to.href };
}
