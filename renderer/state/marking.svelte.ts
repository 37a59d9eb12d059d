/** Rows selected in addition to the chosen one: Ctrl adds or removes one, Shift selects a range. */

export interface ListRows<T> {
  readonly total: number;
  /** Changes when the list is asked for other rows; without it, the list is always of the same ones. */
  readonly query?: number;
  /** True while the rows are still those that were asked for before. */
  readonly late?: boolean;
  /** The indexes of rows that are headings of groups: a few, in order. */
  readonly headings?: readonly number[];
  /** null for a row that is not loaded. */
  row(index: number): T | null;
}

/** The rows of a list that is here as a whole. */
export function allRows<T>(rows: readonly T[]): ListRows<T> {
  return { total: rows.length, row: (index) => rows[index] ?? null };
}

export type Marking<T> = ReturnType<typeof marking<T>>;

/** The marks of a list; rows are identified by their keys, so that they keep their marks when they move. */
export function marking<T>(list: () => ListRows<T>, keyOf: (row: T) => string) {
  let marked = $state.raw<ReadonlyMap<string, T>>(new Map());
  /** Where a range starts; -1 for nowhere yet. */
  let anchor = -1;

  function mark(from: number, until: number): void {
    const next = new Map<string, T>();
    for (let index = from; index <= until; index += 1) {
      const here = list().headings?.includes(index) === true ? null : list().row(index);
      if (here !== null) next.set(keyOf(here), here);
    }
    marked = next;
  }

  return {
    get size() {
      return marked.size;
    },
    has: (row: T) => marked.has(keyOf(row)),
    /** The marked rows if this is one of them, otherwise this one alone; empty when it is not loaded. */
    at(index: number): readonly T[] {
      const here = list().row(index);
      if (here === null) return [];
      return marked.has(keyOf(here)) ? [...marked.values()] : [here];
    },
    /** Chooses one row: clears all marks and starts a range here. */
    begin(index: number) {
      anchor = index;
      marked = new Map();
    },
    /** Marks everything from the start of the range to this row; `from` is the current row, for when no range has started. */
    extend(index: number, from: number) {
      if (anchor === -1) anchor = Math.max(0, from);
      mark(Math.min(anchor, index), Math.max(anchor, index));
    },
    /** Marks or unmarks a row; the first time, the current row (`from`) is marked as well. */
    toggle(index: number, from: number) {
      const here = list().row(index);
      if (here === null) return;
      const next = new Map(marked);
      const before = from === -1 ? null : list().row(from);
      if (next.size === 0 && before !== null) next.set(keyOf(before), before);
      if (!next.delete(keyOf(here))) next.set(keyOf(here), here);
      anchor = index;
      marked = next;
    },
    /** The rows have moved by so many places; marked rows stay marked. */
    move(by: number) {
      if (anchor !== -1) anchor += by;
    },
    /** Marks every loaded row. */
    all: () => mark(0, list().total - 1),
    clear() {
      anchor = -1;
      marked = new Map();
    },
  };
}

/** What a click or a key with Shift does in a list with marks. `go` moves to a row; `current` is the row that it moved to last. */
export function choosing<T>(marks: Marking<T>, current: () => number, go: (index: number) => void) {
  function choose(index: number): void {
    marks.begin(index);
    go(index);
  }
  function extendTo(index: number): void {
    const from = current();
    go(index);
    marks.extend(index, from);
  }
  function click(event: MouseEvent, index: number): void {
    if (event.shiftKey) return extendTo(index);
    if (!event.ctrlKey && !event.metaKey) return choose(index);
    const from = current();
    go(index);
    marks.toggle(index, from);
  }
  return { choose, extendTo, click };
}
