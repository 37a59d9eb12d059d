/**
 * The walk through what was named: every file once, links followed without going round in circles. Reads only; this is
 * the truth about what is there.
 */
import { basename, dirname, join, relative } from 'node:path';
import type { ErrorCode, SluiceError } from '../../../preload/errorCodes.ts';
import { sluiceError } from '../errors.ts';
import type { Files } from '../ports.ts';

/** A place that is walked: `root` is what relative paths are taken from. */
export interface Place {
  readonly path: string;
  readonly root: string;
}

/** A file that was found; `error` says why it is not even looked at. */
export interface Found {
  readonly path: string;
  /** The path within the place that was named. */
  readonly relativePath: string;
  readonly error: SluiceError | null;
}

/** Why a name is left out; null when it is not. What holds for a directory holds for everything in it. */
export type LeftOut = (relativePath: string, isDirectory: boolean) => ErrorCode | null;

interface Walk {
  readonly files: Files;
  readonly root: string;
  /** Real paths of directories that were walked. */
  readonly walked: Set<string>;
  readonly signal: AbortSignal;
  readonly leftOut: LeftOut;
}

function found(walk: Walk, path: string, error: SluiceError | null): Found {
  return { path, relativePath: relative(walk.root, path), error };
}

async function* walkLink(walk: Walk, path: string): AsyncGenerator<readonly Found[]> {
  const real = await walk.files.realPath(path);
  const type = real === null ? null : await walk.files.typeOf(real);
  if (type === null) yield [found(walk, path, sluiceError('item.link', { path }))];
  else if (type === 'directory') yield* walkDirectory(walk, path);
  else yield [found(walk, path, null)];
}

async function* walkDirectory(walk: Walk, directory: string): AsyncGenerator<readonly Found[]> {
  const real = await walk.files.realPath(directory);
  if (real === null || walk.walked.has(real)) return;
  walk.walked.add(real);
  const listing = await walk.files.list(directory);
  if (!listing.ok) {
    // A directory that went away meanwhile took its files with it: there is nothing to say.
    if (listing.error.code !== 'item.gone') yield [found(walk, directory, listing.error)];
    return;
  }
  const here: Found[] = [];
  const inner: string[] = [];
  const linked: string[] = [];
  for (const entry of [...listing.value].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    const leftOut = walk.leftOut(relative(walk.root, path), entry.type === 'directory');
    if (leftOut !== null) here.push(found(walk, path, sluiceError(leftOut)));
    else if (entry.type === 'directory') inner.push(path);
    else if (entry.type === 'link') linked.push(path);
    else if (entry.type === 'other') here.push(found(walk, path, sluiceError('item.unsupported')));
    else here.push(found(walk, path, null));
  }
  if (here.length > 0) yield here;
  for (const path of inner) {
    if (walk.signal.aborted) return;
    yield* walkDirectory(walk, path);
  }
  // Last, so that what stands in the tree itself is known under its own path.
  for (const path of linked) yield* walkLink(walk, path);
}

/**
 * Everything below the places, in groups of one directory. A place that is a file is found even if its name would be
 * left out. Errors inside: item.gone, item.link, item.temporary, item.excluded, directory.unreadable, item.unreadable.
 */
export async function* scan(
  files: Files,
  places: readonly Place[],
  leftOut: LeftOut,
  signal: AbortSignal,
): AsyncGenerator<readonly Found[]> {
  const walked = new Set<string>();
  const named = new Set<string>();
  for (const place of places) {
    if (signal.aborted) return;
    const walk: Walk = { files, root: place.root, walked, signal, leftOut };
    const type = await files.typeOf(place.path);
    if (type === null) {
      yield [found(walk, place.path, sluiceError('item.gone', { path: place.path }))];
    } else if (type === 'directory') {
      yield* walkDirectory(walk, place.path);
    } else if (!named.has(place.path)) {
      named.add(place.path);
      yield* walkLink({ ...walk, root: dirname(place.path) }, place.path);
    }
  }
}

const TEMPORARY =
  /^(\..*|~\$.*|.*\.(tmp|temp|part|partial|crdownload|download|filepart|swp|uploading)|.*~|Thumbs\.db|desktop\.ini)$/i;

/** item.temporary for the names that programs give to files they are not done with; null for others. */
export function temporaryName(relativePath: string): ErrorCode | null {
  return TEMPORARY.test(basename(relativePath)) ? 'item.temporary' : null;
}
