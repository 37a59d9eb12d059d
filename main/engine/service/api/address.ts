/** Where a request of the service goes, and how the key travels with it. */
import type { Connection } from '../serviceClient.ts';

/** `pipeline`: batches and jobs. `projects`: project management, whose key is always in the query. */
type OperationFamily = 'pipeline' | 'projects';

/** Where the key of a pipeline request is. */
export type KeyCarrier = 'query' | 'header';

/** A place at the service: path segments as they are meant, not yet encoded. */
export interface Place {
  readonly family: OperationFamily;
  readonly segments: readonly string[];
  /** Values of null are left out. */
  readonly query?: Readonly<Record<string, string | null>>;
}

/** An address with the headers that carry the key. Both are secrets. */
export interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function stagingPlace(
  workspace: string,
  rest: readonly string[],
  query: Place['query'] = {},
): Place {
  const segments = ['data-staging', 'v1', 'external', workspace, 'batches', ...rest];
  return { family: 'pipeline', segments, query };
}

export function processingPlace(
  workspace: string,
  rest: readonly string[],
  query: Place['query'] = {},
): Place {
  const segments = ['batch-processing', 'v1', 'external', workspace, 'jobs', ...rest];
  return { family: 'pipeline', segments, query };
}

/** Text as it may stand in an address. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Writes the address of a place; null when a segment would change the path's shape (empty, "." or ".."), which an id from
 * outside must never do.
 */
export function addressOf(
  connection: Connection,
  place: Place,
  carrier: KeyCarrier,
): Address | null {
  const { family, segments } = place;
  if (segments.some((segment) => /^\.{0,2}$/.test(segment))) return null;
  const base = family === 'pipeline' ? connection.apiUrl : connection.projectsUrl;
  const inHeader = family === 'pipeline' && carrier === 'header';
  const query = Object.entries(place.query ?? {}).filter((entry) => entry[1] !== null);
  if (!inHeader) query.push(['api_key', connection.apiKey]);
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value ?? '')}`).join('&');
  const path = segments.map(encoded).join('/');
  return {
    url: `${base.replace(/[?#].*$/s, '').replace(/\/+$/, '')}/${path}${search === '' ? '' : `?${search}`}`,
    headers: inHeader ? { authorization: `Bearer ${connection.apiKey}` } : {},
  };
}
