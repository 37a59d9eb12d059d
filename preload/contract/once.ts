/**
 * A value that is made when it is first needed. All schemas are made this way: together they would take a tenth of the time of a short
 * command, which needs only a few of them.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
