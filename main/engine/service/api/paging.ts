/** Reads paged lists completely, and always ends. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { Page } from '../serviceClient.ts';

/** A list counts as endless after this many pages in a row without anything new. Our choice: an empty page in between is allowed. */
const BARREN_PAGES = 3;

type PageReader<T> = (token: string | null) => Promise<Result<Page<T>>>;

/**
 * Reads a list page by page. A repeated token, more than MAX_PAGES pages, or pages that only repeat known items (by `keyOf`) give
 * service.unexpectedAnswer: the list would never end. After an error, what the earlier pages showed is valid, but nothing follows from what
 * they did not show. Remembers the keys of one page, not of the list.
 */
export async function eachPage<T>(
  read: PageReader<T>,
  keyOf: (item: T) => string,
  onPage: (items: readonly T[]) => Promise<void> | void,
): Promise<Result<void>> {
  const tokens = new Set<string>();
  let known: ReadonlySet<string> = new Set();
  let barren = 0;
  for (let token: string | null = null; tokens.size < MAX_PAGES;) {
    const page: Result<Page<T>> = await read(token);
    if (!page.ok) return page;
    const { items, nextPageToken } = page.value;
    await onPage(items);
    if (nextPageToken === null) return ok(undefined);
    if (tokens.has(nextPageToken))
      return fail('service.unexpectedAnswer', { reason: 'its list repeats a page' });
    tokens.add(nextPageToken);
    token = nextPageToken;
    const keys = new Set(items.map(keyOf));
    barren = [...keys].some((key) => !known.has(key)) ? 0 : barren + 1;
    if (barren === 0) known = keys;
    if (barren === BARREN_PAGES) break;
  }
  return fail('service.unexpectedAnswer', { reason: 'its list never ends' });
}

/** Reads a whole list. Errors as eachPage. */
export async function allPages<T>(
  read: PageReader<T>,
  keyOf: (item: T) => string,
): Promise<Result<readonly T[]>> {
  const all: T[] = [];
  const end = await eachPage(read, keyOf, (items) => {
    for (const item of items) all.push(item);
  });
  return end.ok ? ok(all) : end;
}
