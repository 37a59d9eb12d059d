/** One page of a list that has two sources: the ledger, which may hold very many and is read by its index, and the service. */

/** An entry with the time that the list is sorted by, newest first. */
export interface Dated<T> {
  readonly at: number;
  readonly entry: T;
}

/** The entries of the ledger: how many there are, and the newest of them. */
export interface OwnEntries<T> {
  readonly total: number;
  newest(most: number): readonly Dated<T>[];
}

/** The entries of a page, newest first, with the number of all. Of the ledger no more is read than the page needs. */
export function mergedPage<T>(
  own: OwnEntries<T>,
  others: readonly Dated<T>[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly total: number; readonly entries: readonly T[] } {
  const until = offset + limit;
  const entries = [...own.newest(until), ...others]
    .sort((one, other) => other.at - one.at)
    .slice(offset, until)
    .map(({ entry }) => entry);
  return { total: own.total + others.length, entries };
}
