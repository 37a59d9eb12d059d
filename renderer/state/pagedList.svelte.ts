import type { Result, SluiceError } from '../../preload/contract/errors.ts';
import type { PageOf } from '../../preload/contract/records.ts';

export type PagedList<T> = ReturnType<typeof pagedList<T>>;

const PAGE = 100;
/** Pages kept in addition to the visible ones: 4,000 rows. */
const MOST_PAGES = 40;
/** What takes longer is noticed. */
const NOTICED_MS = 200;

/** A list over a request that returns pages; `fetchPage` may read state of its own (search, sort). */
export function pagedList<T>(
  fetchPage: (offset: number, limit: number) => Promise<Result<PageOf<T>>>,
) {
  let pages = $state.raw<ReadonlyMap<number, readonly T[]>>(new Map());
  let total = $state(0);
  let loading = $state(true);
  let error = $state.raw<SluiceError | null>(null);
  const asked = new Set<number>();
  // Answers to an older query are dropped.
  let generation = $state(0);
  /** The query whose rows are shown. */
  let shown = 0;
  let late = $state(false);
  let lateTimer: ReturnType<typeof setTimeout> | null = null;
  let looked: readonly [number, number] = [0, 0];
  // Rows newer than those being loaded are wanted.
  let again = false;

  function awaitFirst(isAwaited: boolean): void {
    if (lateTimer !== null) clearTimeout(lateTimer);
    lateTimer = isAwaited ? setTimeout(() => (late = true), NOTICED_MS) : null;
    if (!isAwaited) late = false;
  }

  async function load(page: number): Promise<void> {
    if (asked.has(page)) return;
    asked.add(page);
    const mine = generation;
    const answer = await fetchPage(page * PAGE, PAGE);
    if (mine !== generation) return;
    asked.delete(page);
    loading = false;
    error = answer.ok ? null : answer.error;
    const isFirst = shown !== generation;
    if (isFirst) {
      awaitFirst(false);
      shown = generation;
      pages = new Map();
      total = 0;
    }
    if (answer.ok) keep(page, answer.value);
    // What was scrolled to meanwhile was there, but of the older query.
    if (isFirst) loadLooked(false);
    if (again && asked.size === 0) refresh();
  }

  function keep(page: number, value: PageOf<T>): void {
    total = value.total;
    const next = new Map(pages);
    next.delete(page);
    next.set(page, value.rows);
    for (const old of next.keys()) {
      if (next.size <= MOST_PAGES) break;
      if (old < looked[0] || old > looked[1]) next.delete(old);
    }
    pages = next;
  }

  function loadLooked(anew: boolean): void {
    for (let page = looked[0]; page <= looked[1]; page++) {
      if (anew || !pages.has(page)) void load(page);
    }
  }

  function refresh(): void {
    // If answers took longer than the refresh interval, discarding each would leave the view empty: the running one is awaited first.
    again = asked.size > 0;
    if (again) return;
    // The pages out of sight are now stale, too.
    pages = new Map([...pages].filter(([page]) => page >= looked[0] && page <= looked[1]));
    loadLooked(true);
  }

  return {
    /** Changes when the list is asked for other rows. */
    get query() {
      return generation;
    },
    /** 0 before the first page. */
    get total() {
      return total;
    },
    /** True until the first page has loaded. */
    get loading() {
      return loading;
    },
    /** True while the rows are still those of the query before, as in a search through a million files. */
    get late() {
      return late;
    },
    /** Why the last page failed to load; null when it loaded. */
    get error() {
      return error;
    },
    /** null for a row that is not loaded. */
    row: (index: number) => pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null,
    /** Fetches missing rows between two indexes. */
    ensure(first: number, last: number) {
      looked = [Math.floor(Math.max(0, first) / PAGE), Math.floor(Math.max(0, last) / PAGE)];
      loadLooked(false);
    },
    /** Refetches the visible rows; the old ones stay until the new ones arrive. */
    refresh,
    /** Asks anew, because the query has changed; the old rows stay until the first new ones arrive, or none can. */
    reset() {
      again = false;
      generation += 1;
      asked.clear();
      loading = total === 0;
      error = null;
      looked = [0, 0];
      awaitFirst(true);
      loadLooked(true);
    },
  };
}
