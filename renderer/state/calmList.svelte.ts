/** Lists in which nothing moves under the pointer. */

/** A list as it was shown, with what is new in it: what left it keeps its place. Pure. */
export function inPlace<T>(
  shown: readonly T[],
  now: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const newest = new Map(now.map((one) => [keyOf(one), one]));
  const before = new Set(shown.map(keyOf));
  return [
    ...shown.map((one) => newest.get(keyOf(one)) ?? one),
    ...now.filter((one) => !before.has(keyOf(one))),
  ];
}

/**
 * While it is held, because the pointer is on it, everything shown keeps its place: when a decision took a row off the list, the next one
 * would move under the pointer, and a second click would decide about a file whose name was not read.
 */
export function calmList<T>(
  now: () => readonly T[],
  keyOf: (one: T) => string,
  isHeld: () => boolean,
) {
  let shown: readonly T[] = [];
  const rows = $derived.by(() => (shown = isHeld() ? inPlace(shown, now(), keyOf) : now()));
  const present = $derived(new Set(now().map(keyOf)));
  return {
    get rows() {
      return rows;
    },
    /** True for what is no longer in the list, but still has its place. */
    isGone: (one: T) => !present.has(keyOf(one)),
  };
}
