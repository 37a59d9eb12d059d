/** Lists that come in pages, read to an end that always comes. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { Page } from '../serviceClient.ts';

/** Pages in a row that bring nothing new before a list counts as endless. Ours: an empty page in between is allowed. */
const BARREN_PAGES = 3;

/**
 * Reads every page. A token seen before, more than `maxPages` pages, or pages that bring nothing new by `keyOf` are
 * service.unexpectedAnswer: the list would never end, or repeat itself.
 */
export async function allPages<T>(
  page: (token: string | null) => Promise<Result<Page<T>>>,
  keyOf: (item: T) => string,
  maxPages = MAX_PAGES,
): Promise<Result<readonly T[]>> {
  const items: T[] = [];
  const tokens = new Set<string>();
  const watch = watchForNews(keyOf);
  let token: string | null = null;
  for (let count = 0; count < maxPages; count += 1) {
    const next: Result<Page<T>> = await page(token);
    if (!next.ok) return next;
    for (const item of next.value.items) items.push(item);
    token = next.value.nextPageToken;
    if (token === null) return ok(items);
    if (tokens.has(token))
      return fail('service.unexpectedAnswer', { reason: 'repeated page token' });
    tokens.add(token);
    if (!watch(next.value.items))
      return fail('service.unexpectedAnswer', { reason: 'endless list' });
  }
  return fail('service.unexpectedAnswer', { reason: 'endless list', pages: maxPages });
}

/**
 * Makes a check that answers false when some pages in a row brought only keys of the page before them: a list that
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
