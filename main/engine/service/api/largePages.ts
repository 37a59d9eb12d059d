/** Reads long lists in larger pages than the service makes by default, if the lists are complete that way. */
import { ok, type Result } from '../../core/errors.ts';
import { uptimeMs } from '../../core/uptime.ts';
import type { Page } from '../serviceClient.ts';
import type { Place } from './address.ts';
import type { Caller } from './caller.ts';
import type { Schema } from './sending.ts';

/**
 * Rows of a page: more than services give by default, because each page costs a round trip. Our choice: not more, because the service may
 * have to sign an address for each row.
 */
const PAGE_ROWS = '1000';
/** After the service failed with a page of our size, how long all pages have its default size, in ms. Our choice. */
const OWN_PAGES_MS = 3_600_000;
/** Begins the token of a page of the service's default size. No service has a line end in a token. */
export const OWN_TOKEN = '\n';

/**
 * Reads like `read`, but long lists in pages of our size, if the service gives such pages: the first list that does not fit into one page
 * of the default size shows that. All pages of a list have the size of its first page, because a token may be the number of a page.
 */
export function createPageReader(read: Caller['read']) {
  let isGiven = false;
  let ownPagesUntil = 0;
  const readPage = async <T>(
    operation: string,
    place: Place,
    schema: Schema<Page<T>>,
    signal: AbortSignal,
  ): Promise<Result<Page<T>>> => {
    const { nextPageToken: token = null, ...query } = place.query ?? {};
    const ask = (asked: Place['query']): Promise<Result<Page<T>>> =>
      read(operation, { ...place, query: { ...query, ...asked } }, schema, signal);
    const sized = (): Promise<Result<Page<T>>> =>
      ask({ nextPageToken: token, pageSize: PAGE_ROWS });
    const own = async (nextPageToken: string | null): Promise<Result<Page<T>>> => {
      const page = await ask({ nextPageToken });
      if (!page.ok || page.value.nextPageToken === null) return page;
      return ok({ ...page.value, nextPageToken: OWN_TOKEN + page.value.nextPageToken });
    };
    const noteFailure = ({ ok: isRead }: Result<unknown>): void => {
      if (!isRead && !signal.aborted) ownPagesUntil = uptimeMs() + OWN_PAGES_MS;
    };
    if (token?.startsWith(OWN_TOKEN)) return own(token.slice(OWN_TOKEN.length) || null);
    if (token !== null) {
      const next = await sized();
      noteFailure(next);
      return next;
    }
    const mayBeSized = uptimeMs() >= ownPagesUntil;
    if (isGiven && mayBeSized) {
      const first = await sized();
      if (!first.ok) isGiven = first.error.code === 'service.notFound';
      return first;
    }
    const first = await own(null);
    if (!first.ok || first.value.nextPageToken === null || !mayBeSized) return first;
    const larger = await sized();
    isGiven = larger.ok;
    noteFailure(larger);
    return larger.ok ? larger : first;
  };
  return {
    read: readPage,
    /** True once the service has given pages of our size. */
    areLarge: () => isGiven,
  };
}

/** How many lists are remembered; a program may run for years. Our choice. */
const REMEMBERED = 1000;

/** What is known about a list. */
interface ListFacts {
  /** How many rows the service counts. */
  counted: number;
  /** How many rows it has shown so far while it is being read. */
  rows: number;
  /** How many rows it had when it was last read to its end in large pages; -1 before that. */
  before: number;
  /** The next reading uses pages of the service's default size. */
  isDoubted: boolean;
}

/**
 * Remembers which lists, read in large pages, ended twice in a row with fewer rows than the service counts, without growing in between.
 * Such a list may only lag behind, but a service or a proxy may also cut large pages short. So the list is read in pages of the default
 * size the next time, and from then on if these showed more. Files that a list hides would be sent twice.
 */
export function createShortLists() {
  const lists = new Map<string, ListFacts>();
  const factsOf = (key: string): ListFacts => {
    const facts = lists.get(key) ?? { counted: 0, rows: 0, before: -1, isDoubted: false };
    lists.delete(key);
    lists.set(key, facts);
    for (const oldest of lists.keys()) {
      if (lists.size <= REMEMBERED) break;
      lists.delete(oldest);
    }
    return facts;
  };
  return {
    noteCount(key: string, counted: number): void {
      factsOf(key).counted = counted;
    },
    /** `token`: the token with which the page was requested. */
    noteRead(key: string, token: string | null, { items, nextPageToken }: Page<unknown>): void {
      const facts = factsOf(key);
      const isBegun = token !== null && token !== OWN_TOKEN;
      facts.rows = (isBegun ? facts.rows : 0) + items.length;
      if (nextPageToken !== null) return;
      if (token?.startsWith(OWN_TOKEN) === true) facts.isDoubted &&= facts.rows > facts.before;
      else {
        facts.isDoubted = facts.rows < facts.counted && facts.rows <= facts.before;
        facts.before = facts.rows;
      }
    },
    /** The token with which a list is begun. */
    start: (key: string): string | null => (factsOf(key).isDoubted ? OWN_TOKEN : null),
  };
}
