/** Paths that were dropped or chosen and wait for a decision. */

let current = $state.raw<readonly string[]>([]);

/** Paths that wait; empty when none do. */
export function offeredPaths(): readonly string[] {
  return current;
}

/** Shows the dialog that asks what to do with these paths; an empty list closes it. */
export function offerPaths(paths: readonly string[]): void {
  current = paths;
}
