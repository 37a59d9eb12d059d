/**
 * Where a pipeline request carries the key. Every service accepts it in the query, as documented. A header keeps it out of
 * proxy logs, so it is preferred once the service was seen to accept it there. Project management always uses the query.
 */
import type { HttpRequest } from '../../core/ports.ts';
import type { Learned } from '../serviceClient.ts';
import { encoded, type KeyCarrier, type Place } from './address.ts';

/** Learns the carrier from a count that the service has just answered with the key in the query. Never fails. */
export type CarrierFinder = (place: Place, count: number, signal: AbortSignal) => Promise<void>;

/**
 * Requests the same count again with the key in a header: the same number proves that the service accepts it there. A count
 * of zero proves nothing, because a service that ignores the header may answer that to anyone. A refused key proves that only
 * the query is accepted. Anything else proves nothing. At most one request per client.
 * @param countAgain requests with the key in a header; null when the answer proves nothing
 */
export function createCarrierFinder(
  memory: Learned<KeyCarrier>,
  countAgain: (place: Place, signal: AbortSignal) => Promise<number | 'refused' | null>,
): CarrierFinder {
  let asked = false;
  return async (place, count, signal) => {
    if (asked || count === 0 || memory.read() !== null) return;
    asked = true;
    const again = await countAgain(place, signal);
    if (again === 'refused') memory.write('query');
    else if (again === count) memory.write('header');
  };
}

/**
 * The same request with the key in the query, for a service that no longer accepts the header; null when the request does
 * not carry the key in a header, or when its body can be sent only once.
 */
export function withKeyInQuery(request: HttpRequest, apiKey: string): HttpRequest | null {
  const { authorization, ...headers } = request.headers;
  const isRepeatable = request.body === null || request.body instanceof Uint8Array;
  if (authorization === undefined || !isRepeatable) return null;
  const join = request.url.includes('?') ? '&' : '?';
  return { ...request, headers, url: `${request.url}${join}api_key=${encoded(apiKey)}` };
}
