/**
 * A value that is made when it is first needed. All schemas are: together they take a tenth of a short command, which needs few of them.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
