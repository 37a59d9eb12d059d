/** Marks a promise that is left to itself on purpose: its failure is handled where it was made. */
export function drop(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
