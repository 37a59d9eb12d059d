/** Gives a file a second name: unlike a rename, this fails when the name is taken, also when another program took it just now. */
import { linkSync } from 'node:fs';
import { link } from 'node:fs/promises';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** `elsewhere`: the other name is on another disk, or the file system has no hard links. */
export type Linked = 'done' | 'taken' | 'elsewhere';

/** What file systems without hard links answer, FAT and network shares among them, on the different systems. */
const NO_LINK = new Set([
  'EXDEV',
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
  'UNKNOWN',
]);

function whyNot(error: unknown): Linked {
  const code = errnoOf(error) ?? '';
  if (code === 'EEXIST') return 'taken';
  if (NO_LINK.has(code)) return 'elsewhere';
  throw error;
}

/** Links a file. Throws the system's other errors. */
export async function tryLink(from: string, to: string): Promise<Linked> {
  try {
    await link(encodePath(from), encodePath(to));
    return 'done';
  } catch (error) {
    return whyNot(error);
  }
}

/** The same without leaving the thread. */
export function tryLinkSync(from: string, to: string): Linked {
  try {
    linkSync(encodePath(from), encodePath(to));
    return 'done';
  } catch (error) {
    return whyNot(error);
  }
}
