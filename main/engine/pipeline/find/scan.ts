/**
 * Walks through the given paths: visits every file once, and follows links without looping. Only reads. A scan is authoritative; hints are
 * not.
 */
import { basename, dirname, join, relative, sep } from 'node:path';
import { type ErrorCode, sluiceError, type SluiceError } from '../../core/errors.ts';
import { SCAN_CHUNK_FILES } from '../../core/limits.ts';
import type { DirectoryEntry, DirectoryListing } from '../../core/model.ts';
import type { Clock, Files } from '../../core/ports.ts';

/** A path to walk; relative paths are relative to `root`. */
export interface ScanRoot {
  readonly path: string;
  readonly root: string;
}

/** A file that was found; `error` says why it is not even checked. */
export interface FoundFile {
  readonly path: string;
  readonly relativePath: string;
  readonly error: SluiceError | null;
}

export type EntryType = DirectoryEntry['type'];

/**
 * Why a name is left out, with everything below it; null when it is not left out. A link is judged as a link, and then as a file if it
 * leads to one.
 */
export type LeftOut = (relativePath: string, type: EntryType) => ErrorCode | null;

interface Walk {
  readonly files: Files;
  readonly root: string;
  /** Real paths of the directories walked so far. */
  readonly walked: Set<string>;
  readonly signal: AbortSignal;
  readonly leftOut: LeftOut;
  readonly named: NamedFiles;
}

/** The paths that were given, each as its name within the real path of its directory, and whether each was found already. */
type NamedFiles = Map<string, boolean>;

/** Each given path with its name within the real path of its directory. */
async function namesOf(
  files: Files,
  places: readonly ScanRoot[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const real = new Map<string, string>();
  for (const { path } of places) {
    const directory = dirname(path);
    const found = real.get(directory) ?? (await files.realPath(directory)) ?? directory;
    real.set(directory, found);
    names.set(path, join(found, basename(path)));
  }
  return names;
}

function found(walk: Walk, path: string, error: SluiceError | null): FoundFile {
  return { path, relativePath: relative(walk.root, path), error };
}

/** What a link leads to; null when that does not exist. A target that cannot be looked at may exist, so it is not left out. */
async function typeBehind(files: Files, link: string): Promise<EntryType | null> {
  const real = await files.realPath(link);
  if (real !== null) return files.typeOf(real);
  const facts = await files.facts(link);
  if (facts.ok) return 'file';
  const { code } = facts.error;
  if (code === 'item.gone' || code === 'item.link') return null;
  return code === 'item.unsupported' ? 'directory' : 'other';
}

/** Follows a link: either one that was given explicitly (`leftOut` is null), or one whose name no rule leaves out. */
async function* walkLink(
  walk: Walk,
  path: string,
  leftOut: LeftOut | null,
): AsyncGenerator<readonly FoundFile[]> {
  const type = await typeBehind(walk.files, path);
  if (type === 'directory') return yield* walkDirectory(walk, path, null);
  if (type === null) return yield [found(walk, path, sluiceError('item.link', { path }))];
  const code = leftOut === null ? null : leftOut(relative(walk.root, path), 'file');
  yield [found(walk, path, code === null ? null : sluiceError(code))];
}

/** The directories below one directory, and the links in it, which are walked after its files. */
interface Deeper {
  readonly inner: string[];
  readonly linked: string[];
}

/** The files among some entries of one directory. Directories and links are noted, to be walked later. */
function filesAmong(
  walk: Walk,
  { directory, real }: { readonly directory: string; readonly real: string },
  entries: readonly DirectoryEntry[],
  { inner, linked }: Deeper,
): readonly FoundFile[] {
  const here: FoundFile[] = [];
  const within = relative(walk.root, directory);
  // Build the paths by hand: calling relative() for each one costs more than the listing.
  const inRoot = within === '' ? '' : within + sep;
  const onDisk = join(directory, sep);
  const inReal = join(real, sep);
  for (const { name, type } of entries) {
    const path = onDisk + name;
    const relativePath = inRoot + name;
    const mayBeGiven = walk.named.size > 1 && type !== 'directory';
    const given = mayBeGiven ? walk.named.get(inReal + name) : undefined;
    // A link that was given explicitly is followed on its own, not here.
    if (given === true || (given === false && type === 'link')) continue;
    if (given === false) walk.named.set(inReal + name, true);
    const leftOut = given === undefined ? walk.leftOut(relativePath, type) : null;
    if (leftOut !== null) here.push({ path, relativePath, error: sluiceError(leftOut) });
    else if (type === 'directory') inner.push(path);
    else if (type === 'link') linked.push(path);
    else if (type === 'other')
      here.push({ path, relativePath, error: sluiceError('item.unsupported') });
    else here.push({ path, relativePath, error: null });
  }
  return here;
}

function* inGroups(listing: DirectoryListing): Generator<readonly DirectoryEntry[]> {
  let group: DirectoryEntry[] = [];
  for (const entry of listing) {
    group.push(entry);
    if (group.length < SCAN_CHUNK_FILES) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** `known`: its real path; null when a link may lead to it. */
async function* walkDirectory(
  walk: Walk,
  directory: string,
  known: string | null,
): AsyncGenerator<readonly FoundFile[]> {
  // A directory whose real path cannot be determined is not left out: listing it shows what is wrong.
  const real = known ?? (await walk.files.realPath(directory)) ?? directory;
  if (walk.walked.has(real)) return;
  walk.walked.add(real);
  const listing = await walk.files.list(directory);
  if (!listing.ok) {
    // A directory that has disappeared since took its files with it, so there is nothing to report.
    if (listing.error.code !== 'item.gone') yield [found(walk, directory, listing.error)];
    return;
  }
  const deeper: Deeper = { inner: [], linked: [] };
  // Paths are made in groups: all paths of a large directory at once would take many times the memory of its names.
  for (const some of inGroups(listing.value)) {
    if (walk.signal.aborted) return;
    yield filesAmong(walk, { directory, real }, some, deeper);
  }
  for (const path of deeper.inner) {
    if (walk.signal.aborted) return;
    yield* walkDirectory(walk, path, join(real, basename(path)));
  }
  // Links come last, so that files in the tree itself are found under their own paths.
  for (const path of deeper.linked) {
    if (walk.signal.aborted) return;
    yield* walkLink(walk, path, walk.leftOut);
  }
}

/**
 * Yields everything below the given paths, in groups of one directory and at most SCAN_CHUNK_FILES, which may be empty. A given file or link
 * is found even if its name would be left out. Errors of entries: item.gone, item.link, item.temporary, item.excluded,
 * directory.unreadable, item.unreadable, and file.busy for a directory (see busyPlaces.ts).
 */
export async function* scan(
  files: Files,
  places: readonly ScanRoot[],
  leftOut: LeftOut,
  signal: AbortSignal,
): AsyncGenerator<readonly FoundFile[]> {
  const walked = new Set<string>();
  const names = await namesOf(files, places);
  const named: NamedFiles = new Map([...names.values()].map((name) => [name, false]));
  for (const place of places) {
    if (signal.aborted) return;
    const walk: Walk = { files, root: place.root, walked, signal, leftOut, named };
    const type = await files.typeOf(place.path);
    const name = names.get(place.path) ?? place.path;
    if (type === null) {
      yield [found(walk, place.path, sluiceError('item.gone', { path: place.path }))];
    } else if (type === 'directory') {
      yield* walkDirectory(walk, place.path, null);
    } else if (named.get(name) === false) {
      named.set(name, true);
      yield* walkLink({ ...walk, root: dirname(place.path) }, place.path, null);
    }
  }
}

/** How long files wait for those of the next directories, in ms: reading and writing a group costs little more than doing so for a file. Our choice. */
const GATHER_MS = 100;

/** Puts the groups of several directories together, until there are `most` files or the first of them has waited long enough. */
export async function* gathered(
  groups: AsyncIterable<readonly FoundFile[]>,
  most: number,
  clock: Pick<Clock, 'monotonicMs'>,
): AsyncGenerator<readonly FoundFile[]> {
  let some: FoundFile[] = [];
  let since = 0;
  for await (const group of groups) {
    const now = clock.monotonicMs();
    if (some.length === 0) since = now;
    some.push(...group);
    if (some.length < most && now - since < GATHER_MS) continue;
    yield some;
    some = [];
  }
  yield some;
}

const TEMPORARY =
  /^(~\$.*|.*\.(tmp|temp|part|partial|crdownload|download|filepart|swp|uploading)|.*~|Thumbs\.db|desktop\.ini)$/i;

/** item.temporary for hidden names and names of unfinished files. What is or may be a directory is left out only when hidden. */
export function temporaryName(relativePath: string, type: EntryType): ErrorCode | null {
  const name = basename(relativePath);
  const isFile = type === 'file' || type === 'other';
  return name.startsWith('.') || (isFile && TEMPORARY.test(name)) ? 'item.temporary' : null;
}

/** What an explicit upload leaves out: temporary names, and links unless they are followed. */
export function uploadFilter(followLinks: boolean): LeftOut {
  if (followLinks) return temporaryName;
  return (path, type) => temporaryName(path, type) ?? (type === 'link' ? 'item.excluded' : null);
}
