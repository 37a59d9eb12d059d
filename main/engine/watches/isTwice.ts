/** Whether a file is at both ends of its move, because a crash came before the source was removed. */
import { basename, dirname } from 'node:path';
import type { DirectoryPlace } from '../core/model.ts';
import type { Files } from '../core/ports.ts';
import type { MovedSource } from '../store/tables/moves.ts';

type Ends = Pick<MovedSource, 'from' | 'to'>;

async function placeAbove(files: Files, path: string): Promise<DirectoryPlace | null> {
  const directory = dirname(path);
  return files.placeOf((await files.realPath(directory)) ?? directory);
}

/**
 * True when both paths name the same directory entry, for example through a link to the directory or a second mount: removing one would
 * remove the other.
 */
async function isOneEntry(files: Files, { from, to }: Ends): Promise<boolean> {
  if (basename(from) !== basename(to)) return false;
  const [one, other] = [await placeAbove(files, from), await placeAbove(files, to)];
  return one !== null && one.device === other?.device && one.inode === other.inode;
}

/**
 * True when the two entries are the same file, or equal files: on another disk, the copy exists before the source is removed. A link that
 * the user put in place of the source counts as neither.
 */
export async function isTwice(files: Files, ends: Ends): Promise<boolean> {
  const types = [await files.typeOf(ends.from), await files.typeOf(ends.to)];
  if (types[0] !== types[1] || (await isOneEntry(files, ends))) return false;
  const [from, to] = await files.stat([ends.from, ends.to]);
  if (from?.ok !== true || to?.ok !== true) return false;
  if (from.value.stamp === to.value.stamp) return true;
  if (from.value.sizeBytes !== to.value.sizeBytes) return false;
  const one = await files.hash(ends.from, 'b3');
  const other = await files.hash(ends.to, 'b3');
  return one.ok && other.ok && one.value === other.value;
}
