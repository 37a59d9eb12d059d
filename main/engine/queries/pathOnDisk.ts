/** Paths of the ledger as the system takes them. File names on Linux are bytes, which need not be text. */
import { encodePath } from '../files/names/pathBytes.ts';

/** The form of a path for file system calls. */
export const pathOnDisk: (path: string) => string | Buffer = encodePath;

/** False for a path that is not text: only file system calls can use it, not programs that take text. */
export function isTextPath(path: string): boolean {
  return typeof encodePath(path) === 'string';
}
