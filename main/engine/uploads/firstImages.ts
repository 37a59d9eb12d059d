/** The first images in a directory tree, as a preview of what is about to be uploaded. Reads only names. */
import type { Files } from '../core/ports.ts';
import { scan, uploadFilter } from '../pipeline/find/scan.ts';
import { kindByName } from '../watches/rule.ts';

/** Maximum files to scan: a directory full of other things must not keep the window waiting. Our choice. */
const MAX_FILES = 20_000;

/** Paths of at most `most` images, in the order of the scan; fewer when the signal aborts or nothing can be read. */
export async function firstImages(
  files: Files,
  directory: string,
  most: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  const places = [{ path: directory, root: directory }];
  let seen = 0;
  for await (const group of scan(files, places, uploadFilter(true), signal)) {
    for (const { path, error } of group) {
      if (error === null && kindByName(path) === 'image') found.push(path);
      if (found.length >= most) return found;
    }
    seen += group.length;
    if (seen >= MAX_FILES || signal.aborted) break;
  }
  return found;
}
