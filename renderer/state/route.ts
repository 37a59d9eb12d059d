/** Addresses inside the window: `batches/cam-1?tab=items`. */

export const VIEWS = ['uploads', 'batches', 'jobs', 'projects', 'problems', 'settings'] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Route {
  readonly view: ViewName;
  /** What the view shows in detail: a batch, job or project id. */
  readonly id: string | null;
  readonly params: Readonly<Record<string, string>>;
}

/** Parses an address; an unknown one leads to Uploads. */
export function parseRoute(to: string): Route {
  const [path = '', query = ''] = to.replace(/^([a-z]+:\/\/|[#/])+/, '').split('?', 2);
  const [name = '', ...rest] = path.split('/');
  const view = VIEWS.find((known) => known === name);
  if (view === undefined) return { view: 'uploads', id: null, params: {} };
  return {
    view,
    id: decode(rest.join('/').replace(/\/+$/, '')),
    params: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function formatRoute({ view, id, params }: Route): string {
  const query = new URLSearchParams(params).toString();
  const path = id === null ? view : `${view}/${encodeURIComponent(id)}`;
  return query === '' ? path : `${path}?${query}`;
}

function decode(text: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
