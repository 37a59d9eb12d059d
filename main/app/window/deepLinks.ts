/** Addresses such as sluice://batch/ID, which other programs may open. */
import { BATCH_ID } from '../../../preload/contract/idPatterns.ts';

/** The view that a link opens; null for anything that is not one of our valid links. Pure. */
export function viewOfLink(link: string): string | null {
  const found = /^sluice:\/\/(batch|job)\/([^/]+)\/?$/.exec(link);
  const id = found?.[2] ?? '';
  if (found === null || !BATCH_ID.test(id)) return null;
  return `${found[1] === 'batch' ? 'batches' : 'jobs'}/${id}`;
}

/** The view of the first valid link in `argv`; null without one. Pure. */
export function viewOfArguments(argv: readonly string[]): string | null {
  return argv.map(viewOfLink).find((view) => view !== null) ?? null;
}
