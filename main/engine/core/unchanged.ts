/** Whether a file is still the one that the ledger knows. */
import { modifiedAt } from './ids.ts';
import type { FileFacts, HashKind, Stamp } from './model.ts';
import type { Files } from './ports.ts';

/** True for a file with the size and the time of the known one: its other times and its place on the disk say nothing about the content. */
export function haveSameTimes(
  now: Pick<FileFacts, 'sizeBytes' | 'stamp'>,
  known: { readonly sizeBytes: number; readonly stamp: Stamp },
): boolean {
  return now.sizeBytes === known.sizeBytes && modifiedAt(now.stamp) === modifiedAt(known.stamp);
}

/** The hash of a file that still has its stamp after it was read; null when it has another, or cannot be read. */
export async function hashIfUnchanged(
  files: Pick<Files, 'facts' | 'hash'>,
  { path, stamp }: { readonly path: string; readonly stamp: string },
  kind: HashKind,
): Promise<string | null> {
  const isSame = async (): Promise<boolean> => {
    const facts = await files.facts(path);
    return facts.ok && facts.value.stamp === stamp;
  };
  if (!(await isSame())) return null;
  const hash = await files.hash(path, kind);
  return hash.ok && (await isSame()) ? hash.value : null;
}
