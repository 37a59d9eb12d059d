/**
 * Drives that are not connected. The directory at which a drive was mounted may remain without it: then its files look deleted, and what is
 * written there ends up on another disk, where it is hidden once the drive is back. So the ledger remembers where drives were mounted, and
 * which ones: another drive, such as the next memory card, may be mounted there instead.
 */
import { dirname, parse } from 'node:path';
import { fail, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import type { DirectoryListing, FileFacts, MountedPath } from '../core/model.ts';
import type { Files, Ports } from '../core/ports.ts';
import { haveSameTimes } from '../core/unchanged.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { Store } from '../store/store.ts';
import { hasOpenFoundIn, type Item } from '../store/tables/items.ts';
import type { Pipeline } from './context.ts';

/** A ledger that is only read has no pipeline, and so no `drives`. */
type Reading = Pick<Pipeline, 'store'> &
  Partial<Pick<Pipeline, 'drives'>> & { readonly ports: Pick<Ports, 'files'> };
type Looking = Pick<Pipeline, 'store' | 'drives'> & {
  readonly ports: Pick<Ports, 'files' | 'clock'>;
};

/** What the ledger knows of a drive: it was mounted when last seen, or it went away while a program used it. */
const MOUNTED = '';
const LEFT = 'left';

/**
 * True when a drive that is not mounted now went away during a run: the files in its directory may have been written there by a program
 * that did not notice.
 */
function hasLeft({ store, drives }: Reading, at: string, known: string): boolean {
  if (known === LEFT || drives?.has(at) !== true) return known === LEFT;
  store.transaction(() => writeMeta(store, `drive:${at}`, LEFT));
  return true;
}

const notMountedAt = (path: string): SluiceError =>
  sluiceError('disk.missing', { path, said: `nothing is mounted at ${path}` });

async function missingAbove(
  looking: Reading,
  { path, mount, silent }: MountedPath,
): Promise<SluiceError | null> {
  const { ports, store } = looking;
  if (silent !== undefined) return silent;
  if (mount === null) return notMountedAt(parse(path).root);
  for (let at = path; at !== mount && at !== dirname(at); at = dirname(at)) {
    const known = readMeta(store, `drive:${at}`);
    if (known === null) continue;
    const listing = await ports.files.list(at);
    if (!hasLeft(looking, at, known) && listing.ok && listing.value.length > 0) continue;
    return notMountedAt(at);
  }
  return null;
}

/** True for a path below a place where a drive was mounted before. Asks no disk. */
export function isOnKnownDrive(store: Store, path: string): boolean {
  const parent = dirname(path);
  return (
    readMeta(store, `drive:${path}`) !== null || (parent !== path && isOnKnownDrive(store, parent))
  );
}

/**
 * How many drives the ledger remembers for a place. Older ones are remembered, too, while files that were found on them are neither
 * confirmed nor left out.
 */
const REMEMBERED = 32;

/** A drive that was seen at a place, from a time on (epoch ms). */
interface SeenDrive {
  readonly since: number;
  readonly drive: string;
}

/** The drives seen at a place, oldest first. */
function drivesSeenAt(store: Store, mount: string): readonly SeenDrive[] {
  const lines = readMeta(store, `drives:${mount}`)?.split('\n') ?? [];
  return lines.map((line) => {
    const end = line.indexOf(' ');
    return { since: Number(line.slice(0, end)), drive: line.slice(end + 1) };
  });
}

/**
 * Remembers which drive is at a place now. Files that were found before any drive was known there count as found on the first one. If the
 * clock was set back, the times of earlier drives are moved back as well, so that what is found from now on counts as found on this drive.
 */
function noteDrive({ store, ports }: Looking, mount: string, drive: string): void {
  const now = ports.clock.now();
  const seen = drivesSeenAt(store, mount);
  const last = seen.at(-1);
  const isKnown = last?.drive === drive;
  if (isKnown && last.since <= now) return;
  const before = isKnown ? seen.slice(0, -1) : seen;
  const past = before.map((one) => ({ ...one, since: Math.min(one.since, now) }));
  const all = [...past, { since: past.length === 0 ? 0 : now, drive }];
  const needed = all
    .slice(0, -REMEMBERED)
    .filter(({ since }, at) => hasOpenFoundIn(store, since, all[at + 1]?.since ?? now));
  const lines = [...needed, ...all.slice(-REMEMBERED)];
  const text = lines.map((one) => `${one.since} ${one.drive}`).join('\n');
  store.transaction(() => writeMeta(store, `drives:${mount}`, text));
}

/**
 * Where a path is. `away`: its drive is not connected. `drive`: identifies the drive that is mounted at `mount`, if the system can tell it
 * from others.
 */
interface Place {
  readonly away: SluiceError | null;
  readonly mount: string | null;
  readonly drive: string | null;
}

async function placeOf(looking: Reading, path: string): Promise<Place> {
  const { files } = looking.ports;
  const found = await files.mountOf(path);
  const away = found === null ? null : await missingAbove(looking, found);
  const mount = found?.mount ?? null;
  const drive = away !== null || mount === null ? null : await files.driveAt(mount);
  return { away, mount, drive };
}

/** Looks for the drive of a path, and remembers it. */
async function look(looking: Looking, path: string): Promise<Place> {
  const { store, drives } = looking;
  const place = await placeOf(looking, path);
  const { away, mount, drive } = place;
  if (away !== null || mount === null) return place;
  if (mount !== dirname(mount)) {
    drives.add(mount);
    if (readMeta(store, `drive:${mount}`) !== MOUNTED)
      store.transaction(() => writeMeta(store, `drive:${mount}`, MOUNTED));
  }
  if (drive !== null) noteDrive(looking, mount, drive);
  return place;
}

/** disk.missing when the drive is away, or when a file that was found in the place at that time is not on the drive that is there now. */
function missingSince(
  { store }: Pick<Looking, 'store'>,
  { away, mount, drive }: Place,
  foundAt: number | null,
): SluiceError | null {
  if (away !== null || mount === null || drive === null || foundAt === null) return away;
  const then = drivesSeenAt(store, mount).findLast(({ since }) => since <= foundAt);
  if (then?.drive === drive) return null;
  return sluiceError('disk.missing', { path: mount, said: `another drive is mounted at ${mount}` });
}

/**
 * disk.missing when the path was on a drive that is not mounted now. Exception: there are files where the drive was mounted, and it did not
 * go away during a run; then they may have been moved to this disk for good. Also disk.missing when another drive is mounted there than at
 * `foundAt` (epoch ms). Null otherwise. Remembers the drive that the path is on.
 */
export async function missingDrive(
  looking: Looking,
  path: string,
  foundAt: number | null = null,
): Promise<SluiceError | null> {
  return missingSince(looking, await look(looking, path), foundAt);
}

/** As missingDrive, for a ledger that is only read. */
export async function knownMissingDrive(
  reading: Reading,
  path: string,
  foundAt: number | null = null,
): Promise<SluiceError | null> {
  return missingSince(reading, await placeOf(reading, path), foundAt);
}

/** Which of these files are on a drive that is not connected, for a ledger that is only read. Each directory is looked at once. */
export async function onMissingDrives<T extends Pick<LookedAt, 'path' | 'foundAt'>>(
  reading: Reading,
  files: readonly T[],
): Promise<readonly T[]> {
  const places = new Map<string, Place>();
  const found: T[] = [];
  for (const file of files) {
    const directory = dirname(file.path);
    const place = places.get(directory) ?? (await placeOf(reading, directory));
    places.set(directory, place);
    if (missingSince(reading, place, file.foundAt) !== null) found.push(file);
  }
  return found;
}

/** disk.missing when another drive is at a place now than at that time (epoch ms); null also when no drive is there. */
export async function otherDrive(
  looking: Looking,
  path: string,
  foundAt: number,
): Promise<SluiceError | null> {
  const place = await look(looking, path);
  return place.away === null ? missingSince(looking, place, foundAt) : null;
}

/** A file that was looked at. */
export interface LookedAt {
  readonly path: string;
  /** When it was found, epoch ms; null when that is not known. */
  readonly foundAt: number | null;
  /** The file as the ledger knows it; absent when it does not. */
  readonly known?: Pick<Item, 'sizeBytes' | 'stamp'>;
}

/**
 * The results of looking at files, with disk.missing in place of each that failed because its drive is away, and of each that belongs to
 * another file, on another drive.
 */
export function orUnplugged<T extends FileFacts>(
  pipeline: Looking,
  files: readonly LookedAt[],
  looks: readonly Result<T>[],
): Promise<readonly Result<T>[]> {
  // Millions of files may be gone with a drive: each directory is looked at once.
  const places = new Map<string, Promise<Place>>();
  return Promise.all(
    looks.map(async (result, index) => {
      const { path, foundAt, known } = files[index] ?? { path: '', foundAt: null };
      if (!result.ok && result.error.code === 'disk.missing') return result;
      if (result.ok && (known === undefined || haveSameTimes(result.value, known))) return result;
      const directory = dirname(path);
      const place = places.get(directory) ?? look(pipeline, directory);
      places.set(directory, place);
      // The path itself may be a link to a drive.
      const away =
        missingSince(pipeline, await place, foundAt) ??
        (await missingDrive(pipeline, path, foundAt));
      return away === null ? result : { ok: false, error: away };
    }),
  );
}

/** Where disks of this computer are mounted below these directories. */
export async function disksBelow(
  files: Pick<Files, 'disksBelow'>,
  roots: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all([...new Set(roots)].map((root) => files.disksBelow(root)));
  return [...new Set(found.flat())];
}

/**
 * The files port, except that list() fails with directory.unreadable where a drive is away, and typeOf() reports a directory for a root
 * that is missing because of that. `roots`: the directories that are watched or uploaded; a drive may be mounted at one of them, or below
 * it.
 */
export async function withDrives(
  pipeline: Looking,
  files: Files,
  roots: readonly string[],
): Promise<Files> {
  const away = new Set<string>();
  for (const root of roots) if ((await missingDrive(pipeline, root)) !== null) away.add(root);
  // Disks that are mounted below are remembered before any of their files is found.
  for (const disk of await disksBelow(files, roots)) await missingDrive(pipeline, disk);
  const list = async (directory: string): Promise<Result<DirectoryListing>> => {
    const listing = await files.list(directory);
    const isEmpty = listing.ok && listing.value.length === 0 && away.has(directory);
    if (!isEmpty && (listing.ok || listing.error.code !== 'item.gone')) return listing;
    const missing = await missingDrive(pipeline, directory);
    return missing === null ? listing : fail('directory.unreadable', missing.context);
  };
  return {
    ...files,
    list,
    typeOf: async (path) => {
      const type = await files.typeOf(path);
      const isUnknown = type === 'other' && roots.includes(path);
      if (isUnknown && (await missingDrive(pipeline, path)) !== null) return 'directory';
      return type === null && away.has(path) ? 'directory' : type;
    },
  };
}
