/** Reads a file that the ledger knows, provided that it is still the same one. */
import type { HashKind } from './model.ts';
import type { Files } from './ports.ts';

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
