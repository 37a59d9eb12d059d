/** Which rows of a long list are drawn, and where the keyboard leads. */

export interface Range {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
}

/** The rows that can be seen, with some beyond on both sides. */
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

/** Where a key leads from a row (-1: none is chosen yet); null when the key means nothing here. */
export function moveBy(key: string, from: number, total: number, perPage: number): number | null {
  if (total === 0) return null;
  const to: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from === -1 ? 0 : from - 1,
    PageDown: from + Math.max(1, perPage),
    PageUp: from - Math.max(1, perPage),
    Home: 0,
    End: total - 1,
  };
  const target = to[key];
  return target === undefined ? null : Math.min(total - 1, Math.max(0, target));
}

/** The scroll place at which a row can be seen whole; the old one when it can already. */
export function scrollToShow(
  index: number,
  scrollTop: number,
  height: number,
  rowHeight: number,
): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}
