/** Addresses like sluice://batch/ID, which other programs may open. */

/** The view that an address of another program asks for; null for anything that is none of ours. Pure. */
export function viewOfLink(link: string): string | null {
  const found = /^sluice:\/\/(batch|job)\/([a-z0-9_-]{1,64})\/?$/.exec(link);
  if (found === null) return null;
  return `${found[1] === 'batch' ? 'batches' : 'jobs'}/${found[2] ?? ''}`;
}

/** The first such view among the words of a start; null without one. Pure. */
export function viewOfArguments(words: readonly string[]): string | null {
  return words.map(viewOfLink).find((view) => view !== null) ?? null;
}
