/** Sets of ids, kept as ranges: what one upload adds to the ledger mostly has consecutive ids, and a million of them need next to no memory. */

/** All ids from `first` to `last`. */
interface Range {
  readonly first: number;
  last: number;
}

export interface IdSet {
  add(id: number): void;
  /** Ranges that cover exactly the ids of the set, in ascending order. */
  ranges(): readonly Readonly<Range>[];
  /** All ids, in ascending order. */
  ids(): Generator<number>;
}

/** The number of ranges at which they are joined for the first time. */
const FIRST_JOIN = 256;

function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of [...ranges].sort((one, other) => one.first - other.first)) {
    const before = result.at(-1);
    if (before === undefined || range.first > before.last + 1) result.push(range);
    else before.last = Math.max(before.last, range.last);
  }
  return result;
}

export function createIdSet(ids: Iterable<number>): IdSet {
  let ranges: Range[] = [];
  let joinAt = FIRST_JOIN;
  const add = (id: number): void => {
    const newest = ranges.at(-1);
    if (newest?.last === id - 1) newest.last = id;
    else ranges.push({ first: id, last: id });
    if (ranges.length < joinAt) return;
    ranges = joined(ranges);
    joinAt = Math.max(FIRST_JOIN, 2 * ranges.length);
  };
  for (const id of ids) add(id);
  return {
    add,
    ranges: () => (ranges = joined(ranges)),
    *ids() {
      for (const { first, last } of joined(ranges))
        for (let id = first; id <= last; id += 1) yield id;
    },
  };
}
