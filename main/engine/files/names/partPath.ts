/** The path of a file while it is downloaded: next to its final one, with an ending that no other program uses for its parts. */
export function partPathOf(path: string): string {
  return `${path}.sluice.part`;
}
