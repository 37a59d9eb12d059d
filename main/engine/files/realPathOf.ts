import { realpath } from 'node:fs/promises';
import { decodeName, encodePath } from './names/pathBytes.ts';

/** The path without links. Throws the file system's error. */
export async function realPathOf(path: string): Promise<string> {
  return decodeName(await realpath(encodePath(path), { encoding: 'buffer' }));
}
