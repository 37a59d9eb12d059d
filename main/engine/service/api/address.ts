/** Where a request to the service goes, and where it carries the key. */
import type { Connection } from '../serviceClient.ts';

/** `pipeline`: batches and jobs. `projects`: project management, whose key is always in the query. */
type OperationFamily = 'pipeline' | 'projects';

export type KeyCarrier = 'query' | 'header';

/** In the segments of a place: stands for the workspace of the key. */
export const WORKSPACE = null;

/** A resource of the service, as path segments that are not encoded yet. */
export interface Place {
  readonly family: OperationFamily;
  readonly segments: readonly (string | typeof WORKSPACE)[];
  /** Parameters that are null are left out. */
  readonly query?: Readonly<Record<string, string | null>>;
}

/** An address with the headers that carry the key. Both are secrets. */
export interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function placesOf(service: string, resource: string) {
  return (rest: readonly string[], query: Place['query'] = {}): Place => ({
    family: 'pipeline',
    segments: [service, 'v1', 'external', WORKSPACE, resource, ...rest],
    query,
  });
}

export const stagingPlace = placesOf('data-staging', 'batches');
export const processingPlace = placesOf('batch-processing', 'jobs');

export function projectsPlace(rest: readonly string[], query: Place['query'] = {}): Place {
  return { family: 'projects', segments: [WORKSPACE, ...rest], query };
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Builds the address of a place; null when a segment of an id from outside would change the shape of the path (empty, "." or ".."). */
export function addressOf(
  connection: Connection,
  place: Place,
  workspace: string,
  carrier: KeyCarrier,
): Address | null {
  const { family } = place;
  const segments = place.segments.map((segment) => segment ?? workspace);
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
