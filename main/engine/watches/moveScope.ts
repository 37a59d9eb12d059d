/** Which other files cannot be moved either when a move failed. */
import { dirname } from 'node:path';
import type { SluiceError } from '../core/errors.ts';

/** What a failed move concerns: one file, all of its directory, all of its batch, or every file. */
type Scope = 'file' | 'directory' | 'batch' | 'all';

/** Names and sizes that one disk accepts and another does not. */
const NOT_ACCEPTED: readonly unknown[] = ['EINVAL', 'EILSEQ', 'ENAMETOOLONG', 'EFBIG'];

export function scopeOf({ code, context: { path, errno } }: SluiceError, from: string): Scope {
  if (code === 'batch.lacksFiles') return 'batch';
  if (path === dirname(from)) return 'directory';
  const isOwn = code === 'file.busy' || path === from || NOT_ACCEPTED.includes(errno);
  return isOwn ? 'file' : 'all';
}
