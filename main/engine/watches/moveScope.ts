/** Which other files cannot be moved either when a move failed. */
import { dirname } from 'node:path';
import type { SluiceError } from '../core/errors.ts';

/** What a failed move concerns: one file, all of its directory, all of its batch, or every file. */
type Scope = 'file' | 'directory' | 'batch' | 'all';

/** Names and sizes that one disk accepts and another does not. */
const OF_A_FILE: readonly unknown[] = ['EINVAL', 'EILSEQ', 'ENAMETOOLONG', 'EFBIG'];
/** A directory that may not be written to, or that cannot be made. */
const OF_A_DIRECTORY: readonly unknown[] = ['EACCES', 'EPERM', 'EEXIST', 'ENOTDIR'];

export function scopeOf({ code, context: { path, errno } }: SluiceError, from: string): Scope {
  if (code === 'batch.lacksFiles') return 'batch';
  if (code === 'file.busy' || path === from || OF_A_FILE.includes(errno)) return 'file';
  return path === dirname(from) || OF_A_DIRECTORY.includes(errno) ? 'directory' : 'all';
}
