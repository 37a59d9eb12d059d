/** Paths of the ledger as the system takes them. File names on Linux are bytes, which need not be text. */
import { encodePath } from '../files/names/pathBytes.ts';

/** What file system calls get. */
export const pathOnDisk: (path: string) => string | Buffer = encodePath;

/** False for a path that only file system calls can be given: nothing that takes text finds it. */
export function isTextPath(path: string): boolean {
  return typeof encodePath(path) === 'string';
}
