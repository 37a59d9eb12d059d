/** The smallest of these numbers; null when there are none. */
export function least(values: readonly (number | null)[]): number | null {
  let smallest: number | null = null;
  for (const value of values)
    if (value !== null && (smallest === null || value < smallest)) smallest = value;
  return smallest;
}
