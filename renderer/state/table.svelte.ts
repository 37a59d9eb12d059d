/** The order and the column widths of a table, stored on this computer. */

export interface Column<K extends string> {
  readonly key: K;
  readonly label: string;
  /** Its width until the user changes it, as in grid-template-columns. */
  readonly track: string;
  readonly right?: boolean;
  /** The first click on its head puts the largest or newest first. */
  readonly downFirst?: boolean;
}

export interface Order<S> {
  readonly sort: S;
  readonly descending: boolean;
}

export type TableOrder<S extends string> = ReturnType<typeof tableOrder<S>>;
export type TableWidths = ReturnType<typeof tableWidths>;

/** The minimum width of a column, in px. */
const LEAST = 48;
const MOST = 1200;

function read(key: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The order after a click on a column. Pure. */
export function nextOrder<S>(
  now: Order<S>,
  usual: Order<S>,
  column: S,
  downFirst: boolean,
): Order<S> {
  if (now.sort !== column) return { sort: column, descending: downFirst };
  return now.descending === downFirst ? { sort: column, descending: !downFirst } : usual;
}

/** What the head of a column shows; null when the table is not sorted by it. Pure. */
export function directionOf<S>(order: Order<S>, column: S): 'ascending' | 'descending' | null {
  if (order.sort !== column) return null;
  return order.descending ? 'descending' : 'ascending';
}

/**
 * The order of the table with this name; `onchange` is called after each change. `S` may name more than the columns, such as the order in
 * which rows were added.
 */
export function tableOrder<S extends string>(
  name: string,
  { sorts, usual }: { readonly sorts: readonly S[]; readonly usual: Order<S> },
  onchange?: () => void,
) {
  const key = `order:${name}`;
  const kept = read(key);
  const sort = sorts.find((one) => one === kept['sort']);
  let order = $state.raw<Order<S>>(
    sort === undefined ? usual : { sort, descending: kept['descending'] === true },
  );
  return {
    get sort() {
      return order.sort;
    },
    get descending() {
      return order.descending;
    },
    /** A click on a column head; the third returns to the original order. */
    press(column: S, downFirst: boolean) {
      order = nextOrder(order, usual, column, downFirst);
      localStorage.setItem(key, JSON.stringify(order));
      onchange?.();
    },
  };
}

export function tableWidths(name: string) {
  const key = `widths:${name}`;
  let widths = $state.raw(read(key));
  return {
    /** px; null until it is changed. */
    of(column: string) {
      const width = widths[column];
      return typeof width === 'number' && width >= LEAST && width <= MOST ? width : null;
    },
    /** null resets it. */
    set(column: string, width: number | null) {
      const { [column]: _, ...others } = widths;
      widths =
        width === null
          ? others
          : { ...others, [column]: Math.round(Math.min(MOST, Math.max(LEAST, width))) };
      localStorage.setItem(key, JSON.stringify(widths));
    },
  };
}

/** The columns of a grid: the width the user gave each, otherwise its original one. */
export function tracksOf(columns: readonly Column<string>[], widths: TableWidths): string {
  return columns
    .map(({ key, track }) => {
      const width = widths.of(key);
      return width === null ? track : `${width}px`;
    })
    .join(' ');
}
