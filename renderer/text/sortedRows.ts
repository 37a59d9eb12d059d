/** Rows by a key, with numbers in names by value; rows without a key come last in either direction, equal ones keep their order. */
export function sortedRows<T>(
  rows: readonly T[],
  keyOf: (row: T) => number | string | null,
  descending: boolean,
): readonly T[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
  });
}
