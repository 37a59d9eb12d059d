import { type FileHandle, open } from 'node:fs/promises';
import { encodePath } from './names/pathBytes.ts';

/** Opens a file to read it, and closes it when `use` has ended. Throws the file system's error, and what `use` throws. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(encodePath(path), flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
