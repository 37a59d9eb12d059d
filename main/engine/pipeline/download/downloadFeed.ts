/** Hands out the files of a list one by one while the next page is being read; holds at most a page or two in memory. */
import type { Result, SluiceError } from '../../core/errors.ts';
import type { Listing, OfferedFile } from './listOutputs.ts';

/** The next page is requested when fewer files than this are waiting. */
const AHEAD = 200;

/** Creates a feed; `readPage` is the listing's next(), with retries. */
export function createFeed(readPage: Listing['next']) {
  let waiting: OfferedFile[] = [];
  let reading: Promise<void> | null = null;
  let count = 0;
  let over = false;
  let listed = false;
  let failure: SluiceError | null = null;

  const take = (page: Result<readonly OfferedFile[] | null>): void => {
    reading = null;
    if (over) return;
    if (page.ok && page.value !== null) {
      waiting.push(...page.value);
      count += page.value.length;
      return;
    }
    over = true;
    if (page.ok) listed = true;
    else failure = page.error;
  };

  return {
    /** The next file; null at the end, or when the list cannot be read. */
    next: async (): Promise<OfferedFile | null> => {
      for (;;) {
        if (!over && reading === null && waiting.length < AHEAD) {
          reading = readPage().then(take);
          // Avoid an unhandled rejection while all lanes are busy; the lane that awaits it gets the error.
          reading.catch(() => undefined);
        }
        const first = waiting.shift();
        if (first !== undefined) return first;
        if (over || reading === null) return null;
        await reading;
      }
    },
    /** Number of files handed out or waiting so far; all of them once `listed`. */
    count: () => count,
    listed: () => listed,
    /** Why the list could not be read to its end. */
    failure: (): SluiceError | null => failure,
    /** Hands out nothing more. */
    close: () => {
      over = true;
      waiting = [];
    },
  };
}

export type Feed = ReturnType<typeof createFeed>;
