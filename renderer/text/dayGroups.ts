export type Grouped<T> =
  | { readonly heading: string }
  | { readonly heading: null; readonly row: T | null };

/** "Today", "Yesterday" or "Earlier", by this computer's calendar. */
export function dayGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  return at >= new Date(midnight).setDate(new Date(midnight).getDate() - 1)
    ? 'Yesterday'
    : 'Earlier';
}

interface LoadedList<Row> {
  readonly total: number;
  readonly query?: number;
  row(index: number): Row | null;
  ensure(first: number, last: number): void;
}

/**
 * Puts a heading before the first row of each group; requests what its rows need. Only loaded rows start a group, and a single group
 * gets no heading.
 */
export function groupedList<T>(
  list: LoadedList<T>,
  groupOf: (row: T) => string,
): LoadedList<Grouped<T>> & { readonly headings: readonly number[] } {
  const starts: { readonly at: number; readonly heading: string }[] = [];
  for (let index = 0; index < list.total && starts.length < 3; index++) {
    const row = list.row(index);
    if (row === null) break;
    const heading = groupOf(row);
    if (starts.at(-1)?.heading !== heading) starts.push({ at: index, heading });
  }
  const headings = starts.length > 1 ? starts : [];
  /** The index of a row, not counting the headings above it. */
  const plain = (index: number): number =>
    index - headings.filter(({ at }, above) => at + above < index).length;
  return {
    total: list.total + headings.length,
    headings: headings.map(({ at }, above) => at + above),
    ...(list.query === undefined ? {} : { query: list.query }),
    row: (index) => {
      const heading = headings.find(({ at }, above) => at + above === index);
      if (heading !== undefined) return { heading: heading.heading };
      const row = list.row(plain(index));
      return row === null ? null : { heading: null, row };
    },
    ensure: (first, last) =>
      list.ensure(Math.max(0, plain(first)), Math.max(0, Math.min(list.total - 1, plain(last)))),
  };
}
