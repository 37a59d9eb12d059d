/** Whether the ledger is still where it was opened. If not, another program may own what is there now, and both would send the same files. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sluiceError, SluiceFailure } from '../core/errors.ts';

/** Which file is at a path; null when that cannot be told. */
function fileAt(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`;
  } catch {
    return null;
  }
}

/** Creates a check of the file that is at this path now. It throws disk.missing once another file, or none, is there. */
export function createPlaceCheck(path: string): () => void {
  const opened = fileAt(path);
  return () => {
    const found = fileAt(path);
    if (opened === null || found === null || found === opened) return;
    const directory = dirname(path);
    const said = `${directory} was moved, deleted or disconnected while Sluice was using it`;
    throw new SluiceFailure(sluiceError('disk.missing', { path: directory, said }));
  };
}
