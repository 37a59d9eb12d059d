/** Hands out the files of a list one by one while the next page is being read; holds at most two pages in memory. */
import type { SluiceError } from '../../core/errors.ts';
import type { Listing, OfferedFile } from './listOutputs.ts';

/** Creates a feed; `readPage` is the listing's next(), with retries. */
export function createFeed(readPage: Listing['next']) {
  let count = 0;
  let isClosed = false;
  let listed = false;
  let failure: SluiceError | null = null;

  const read = async (): Promise<readonly OfferedFile[] | null> => {
    const page = await readPage();
    if (isClosed) return null;
    if (page.ok) {
      listed = page.value === null;
      count += page.value?.length ?? 0;
      return page.value;
    }
    failure = page.error;
    return null;
  };
  async function* files(): AsyncGenerator<OfferedFile, null> {
    let coming = read();
    for (let page = await coming; page !== null; page = await coming) {
      coming = read();
      // The lane that awaits this promise gets its error; until then, the rejection must not count as unhandled.
      coming.catch(() => undefined);
      for (const file of page) {
        if (isClosed) return null;
        yield file;
      }
    }
    return null;
  }
  const all = files();

  return {
    /** The next file; null at the end, or when the list cannot be read. */
    next: async (): Promise<OfferedFile | null> => (await all.next()).value ?? null,
    /** Number of files handed out or waiting so far; all of them once `listed`. */
    count: () => count,
    listed: () => listed,
    /** Why the list could not be read to its end. */
    failure: (): SluiceError | null => failure,
    /** Hands out nothing more. */
    close: () => {
      isClosed = true;
    },
  };
}

export type Feed = ReturnType<typeof createFeed>;
