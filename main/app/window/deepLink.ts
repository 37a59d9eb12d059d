/** Addresses like sluice://batch/ID, which other programs may open. */

import { BATCH_ID } from '../../../preload/contract/idPatterns.ts';

/** The view that an address of another program asks for; null for anything that is none of ours. Pure. */
export function viewOfLink(link: string): string | null {
  const found = /^sluice:\/\/(batch|job)\/([^/]+)\/?$/.exec(link);
  const id = found?.[2] ?? '';
  if (found === null || !BATCH_ID.test(id)) return null;
  return `${found[1] === 'batch' ? 'batches' : 'jobs'}/${id}`;
}

/** The first such view among the words of a start; null without one. Pure. */
export function viewOfArguments(words: readonly string[]): string | null {
  return words.map(viewOfLink).find((view) => view !== null) ?? null;
}
