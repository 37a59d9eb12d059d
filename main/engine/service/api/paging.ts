/** Reads paged lists completely, and always ends. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { Page } from '../serviceClient.ts';

/** A list counts as endless after this many pages in a row without anything new. Our choice: an empty page in between is allowed. */
const BARREN_PAGES = 3;

/**
 * Reads every page. A token seen before, more than MAX_PAGES pages, or pages without anything new by `keyOf` are
 * service.unexpectedAnswer: the list would never end, or would repeat itself.
 */
export async function allPages<T>(
  page: (token: string | null) => Promise<Result<Page<T>>>,
  keyOf: (item: T) => string,
): Promise<Result<readonly T[]>> {
  const items: T[] = [];
  const tokens = new Set<string>();
  const watch = watchForNews(keyOf);
  let token: string | null = null;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const next: Result<Page<T>> = await page(token);
    if (!next.ok) return next;
    for (const item of next.value.items) items.push(item);
    token = next.value.nextPageToken;
    if (token === null) return ok(items);
    if (tokens.has(token))
      return fail('service.unexpectedAnswer', { reason: 'its list repeats a page' });
    tokens.add(token);
    if (!watch(next.value.items))
      return fail('service.unexpectedAnswer', { reason: 'its list never ends' });
  }
  return fail('service.unexpectedAnswer', { reason: 'its list never ends', pages: MAX_PAGES });
}

/**
 * Makes a check that returns false after several pages in a row that only repeat keys of the last page with news: a list that
 * repeats itself under new tokens. It remembers one page of keys, not the list.
 */
export function watchForNews<T>(keyOf: (item: T) => string): (items: readonly T[]) => boolean {
  let before: ReadonlySet<string> = new Set();
  let barren = 0;
  return (items) => {
    const keys = new Set(items.map(keyOf));
    const hasNews = [...keys].some((key) => !before.has(key));
    barren = hasNews ? 0 : barren + 1;
    if (hasNews) before = keys;
    return barren < BARREN_PAGES;
  };
}
