import type { Stats } from 'node:fs';
import type { DirectoryEntry } from '../core/model.ts';

/** The type of an entry that was looked at or listed; a link is a link, whatever it leads to. */
export function entryTypeOf(
  entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>,
): DirectoryEntry['type'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
