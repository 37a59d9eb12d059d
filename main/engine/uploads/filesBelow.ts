/** What an upload of a directory would send, without sending it. */
import { fail, ok, type Result } from '../core/errors.ts';
import type { Files } from '../core/ports.ts';
import { scan, uploadFilter } from '../pipeline/find/scan.ts';

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
