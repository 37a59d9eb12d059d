/** What an upload of a directory would send, without sending it. Reads only names. */
import { fail, ok, type Result } from '../core/errors.ts';
import type { Files } from '../core/ports.ts';
import { scan, uploadFilter } from '../pipeline/find/scan.ts';
import { kindByName } from '../watches/rule.ts';

/** The paths of all files in a directory tree. Errors: directory.unreadable, item.gone; ends early when the signal aborts. */
export async function filesBelow(
  files: Files,
  directory: string,
  signal: AbortSignal,
): Promise<Result<readonly string[]>> {
  const paths: string[] = [];
  const places = [{ path: directory, root: directory }];
  for await (const group of scan(files, places, uploadFilter(true), signal)) {
    for (const { path, error } of group) {
      if (error === null) paths.push(path);
      else if (error.code === 'directory.unreadable' || error.code === 'item.gone')
        return fail(error.code, error.context);
    }
  }
  return ok(paths);
}

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
