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
