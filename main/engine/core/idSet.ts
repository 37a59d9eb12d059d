/**
 * Sets of ids, kept as ranges: the items that one upload adds to the ledger mostly have consecutive ids, so a million of them take
 * almost no memory.
 */

/** All ids from `first` to `last`. */
export interface IdRange {
  readonly first: number;
  last: number;
}

/** The number of ranges at which they are joined for the first time. */
const FIRST_JOIN = 256;

function joined(ranges: readonly IdRange[]): IdRange[] {
  const result: IdRange[] = [];
  for (const range of [...ranges].sort((one, other) => one.first - other.first)) {
    const before = result.at(-1);
    if (before === undefined || range.first > before.last + 1) result.push(range);
    else before.last = Math.max(before.last, range.last);
  }
  return result;
}

/** A class, because there may be one set for each file of an upload: as closures, its functions would take most of the memory. */
export class IdSet {
  #ranges: IdRange[] = [];
  #joinAt = FIRST_JOIN;

  constructor(ids: Iterable<number>) {
    for (const id of ids) this.add(id);
  }

  add(id: number): void {
    const newest = this.#ranges.at(-1);
    if (newest?.last === id - 1) newest.last = id;
    else this.#ranges.push({ first: id, last: id });
    if (this.#ranges.length < this.#joinAt) return;
    this.#ranges = joined(this.#ranges);
    this.#joinAt = Math.max(FIRST_JOIN, 2 * this.#ranges.length);
  }

  /** Ranges that cover exactly the ids of the set, in ascending order. */
  ranges(): readonly Readonly<IdRange>[] {
    return (this.#ranges = joined(this.#ranges));
  }

  size(): number {
    return this.ranges().reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** All ids, in ascending order. */
  *ids(): Generator<number> {
    for (const { first, last } of this.ranges()) for (let id = first; id <= last; id += 1) yield id;
  }
}
