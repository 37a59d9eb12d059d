/**
 * Where a pipeline request carries the key: at first in the query, as documented. A header keeps it out of proxy logs, so it is
 * preferred once the service was seen to accept it there. Project management always uses the query.
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
  // Also without the mark before it.
  return { ...request, headers, url: request.url.slice(0, -last.length - 1) };
}

/**
 * The same request with the key in the query, for a service that no longer accepts the header; null when the request does
 * not carry the key in a header, or when its body can be sent only once.
 */
export function withKeyInQuery(request: HttpRequest, apiKey: string): HttpRequest | null {
  const { authorization, ...headers } = request.headers;
  if (authorization === undefined || !isRepeatable(request)) return null;
  const join = request.url.includes('?') ? '&' : '?';
  return { ...request, headers, url: `${request.url}${join}api_key=${encoded(apiKey)}` };
}
