/**
 * Where the key of a pipeline request is. Every service takes it in the query, as is documented; a header keeps it out of
 * the logs of proxies, so it is preferred where the service is seen to take it. Project management always uses the query.
 */
import type { HttpRequest } from '../../core/ports.ts';
import { encoded, type KeyCarrier, type Place } from './address.ts';

/** Where the client keeps the carrier it found out. */
export interface CarrierMemory {
  isKnown(): boolean;
  /** 'query' while it is not known. */
  read(): KeyCarrier;
  write(carrier: KeyCarrier): void;
}

/** Finds the carrier out by a count that the service has just answered with the key in the query. Never fails. */
export type CarrierFinder = (place: Place, count: number, signal: AbortSignal) => Promise<void>;

/**
 * Asks the same count once more with the key in a header: the same number shows that the service takes it there. A count
 * of zero shows nothing, because a service that ignores the header may answer it for a stranger. A refused key shows that it
 * takes only the query. Anything else shows nothing. At most one request per client.
 * @param countAgain asks with the key in a header; null when there is no answer that shows anything
 */
export function createCarrierFinder(
  memory: CarrierMemory,
  countAgain: (place: Place, signal: AbortSignal) => Promise<number | 'refused' | null>,
): CarrierFinder {
  let asked = false;
  return async (place, count, signal) => {
    if (asked || count === 0 || memory.isKnown()) return;
    asked = true;
    const again = await countAgain(place, signal);
    if (again === 'refused') memory.write('query');
    else if (again === count) memory.write('header');
  };
}

/**
 * The same request with the key in the query, for a service that no longer takes the header. null when the request does
 * not carry the key in a header, or when its body can be sent only once.
 */
export function withKeyInQuery(request: HttpRequest, apiKey: string): HttpRequest | null {
  const { authorization, ...headers } = request.headers;
  const isRepeatable = request.body === null || request.body instanceof Uint8Array;
  if (authorization === undefined || !isRepeatable) return null;
  const join = request.url.includes('?') ? '&' : '?';
  return { ...request, headers, url: `${request.url}${join}api_key=${encoded(apiKey)}` };
}
