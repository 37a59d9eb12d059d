/** Where a file is while it is being fetched: beside its place, under a name that no other program gives to its own parts. */
export function partPathOf(path: string): string {
  return `${path}.sluice.part`;
}
