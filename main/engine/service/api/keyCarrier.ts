/**
 * Where a pipeline request carries the key: in the query, as documented, or, once that was seen to work, in a header, which proxies do not
 * log.
 */
import type { HttpRequest } from '../../core/ports.ts';
import { encoded } from './address.ts';

/** True for a request whose body can be sent again. */
function isRepeatable({ body }: HttpRequest): boolean {
  return body === null || body instanceof Uint8Array;
}

/** The same request with the key in a header, for a service that accepts it only there; null as for withKeyInQuery. */
export function withKeyInHeader(request: HttpRequest, apiKey: string): HttpRequest | null {
  const last = `api_key=${encoded(apiKey)}`;
  if (!request.url.endsWith(last) || !isRepeatable(request)) return null;
  const headers = { ...request.headers, authorization: `Bearer ${apiKey}` };
  // Also removes the "?" or "&" before the key.
  return { ...request, headers, url: request.url.slice(0, -last.length - 1) };
}

/** The same request with the key in the query; null if its key is not in a header, or if its body can be sent only once. */
export function withKeyInQuery(request: HttpRequest, apiKey: string): HttpRequest | null {
  const { authorization, ...headers } = request.headers;
  if (authorization === undefined || !isRepeatable(request)) return null;
  const join = request.url.includes('?') ? '&' : '?';
  return { ...request, headers, url: `${request.url}${join}api_key=${encoded(apiKey)}` };
}
