/** Lists that come in pages, read to an end that always comes. */
import { fail, ok } from '../errors.ts';
import { MAX_PAGES } from '../limits.ts';
import type { Result } from '../../../preload/errorCodes.ts';
import type { Page } from './serviceClient.ts';

/**
 * Reads every page. A token seen before, or more than `maxPages` pages, is service.unexpectedAnswer: the list would never
 * end, or repeat itself.
 */
export async function allPages<T>(
  page: (token: string | null) => Promise<Result<Page<T>>>,
  maxPages = MAX_PAGES,
): Promise<Result<readonly T[]>> {
  const items: T[] = [];
  const seen = new Set<string>();
  let token: string | null = null;
  for (let count = 0; count < maxPages; count += 1) {
    const next: Result<Page<T>> = await page(token);
    if (!next.ok) return next;
    for (const item of next.value.items) items.push(item);
    token = next.value.nextPageToken;
    if (token === null) return ok(items);
    if (seen.has(token)) return fail('service.unexpectedAnswer', { reason: 'repeated page token' });
    seen.add(token);
  }
  return fail('service.unexpectedAnswer', { reason: 'endless list', pages: maxPages });
}
