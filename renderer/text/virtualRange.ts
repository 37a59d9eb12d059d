/** Which rows of a long list are drawn, and where the keyboard moves to. */

export interface Range {
  readonly first: number;
  /** The index after the last row. */
  readonly end: number;
}

/** The visible rows, with some extra on both sides. */
export function visibleRange(
  scrollTop: number,
  height: number,
  rowHeight: number,
  total: number,
  beyond = 8,
): Range {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond);
  const end = Math.min(total, Math.ceil((scrollTop + height) / rowHeight) + beyond);
  return { first: Math.min(first, Math.max(0, end)), end };
}

/** The height up to which browsers place rows exactly, px; beyond twice that, they cut the list off. */
const TALLEST = 16_000_000;

/** The height that a list of this height is drawn with, and how much of it one px of scrolling moves. */
export function drawnScroll(whole: number, height: number): { drawn: number; scale: number } {
  const drawn = Math.min(whole, TALLEST);
  return { drawn, scale: drawn === whole ? 1 : (whole - height) / (drawn - height) };
}

/** Where a key moves from a row (-1: none chosen yet), past the headings of groups; null when the key has no meaning here. */
export function moveBy(
  key: string,
  from: number,
  total: number,
  perPage: number,
  headings: readonly number[] = [],
): number | null {
  if (total === 0) return null;
  const to: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from === -1 ? 0 : from - 1,
    PageDown: from + Math.max(1, perPage),
    PageUp: from - Math.max(1, perPage),
    Home: 0,
    End: total - 1,
  };
  const wanted = to[key];
  if (wanted === undefined) return null;
  const target = Math.min(total - 1, Math.max(0, wanted));
  if (!headings.includes(target)) return target;
  return target === 0 || target > from ? target + 1 : target - 1;
}

/** The scroll position at which what lies between two places is fully visible, px; unchanged if it already is. */
export function scrollToShow(top: number, end: number, scrollTop: number, height: number): number {
  return top < scrollTop ? top : Math.max(scrollTop, end - height);
}

/** What was visible of a list: the first row, and the keys of this row and of the next one. */
export interface Seen {
  readonly first: number;
  readonly keys: readonly (string | null)[];
  /** Where the first row was, px. */
  readonly top: number;
  readonly total: number;
}

/** Rows that come at once are seldom more; of a long list, only the rows near the visible ones are loaded anyway. */
const NEAR = 200;

/** By how many rows those that were visible have moved, as others came or went above them; 0 if they have not, or are gone. */
export function movedBy(
  { first, keys: [key, next], total: before }: Seen,
  total: number,
  keyAt: (index: number) => string | null,
): number {
  const here = keyAt(first);
  if (here === null || typeof key !== 'string' || here === key) return 0;
  // A single row may have got another place in the order; two have moved together.
  const isAt = (by: number): boolean => keyAt(first + by) === key && keyAt(first + by + 1) === next;
  for (let by = 1; by <= NEAR; by += 1) {
    if (isAt(by)) return by;
    if (isAt(-by)) return -by;
  }
  // Further away, they are where all new rows above put them, if that is not loaded yet.
  const added = total - before;
  return added > 0 && keyAt(first + added) === null ? added : 0;
}
