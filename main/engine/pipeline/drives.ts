/**
 * Drives that are not connected. When one is unmounted, its directory may stay, or be created again: then its files look deleted, and what
 * is written there is on another disk, hidden as soon as the drive is back. So the ledger remembers where drives were mounted.
 */
import { dirname, parse } from 'node:path';
import { fail, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import type { DirectoryEntry, MountedPath } from '../core/model.ts';
import type { Files, Ports } from '../core/ports.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { Pipeline } from './context.ts';

type Looking = Pick<Pipeline, 'store' | 'drives'> & { readonly ports: Pick<Ports, 'files'> };

/** What the ledger knows of a drive: it was mounted when last seen, or it went away while a program used it. */
const MOUNTED = '';
const LEFT = 'left';

/** True when a drive that is not mounted now went away during a run: what is in its directory may be what was being written. */
function hasLeft({ store, drives }: Looking, at: string, known: string): boolean {
  if (known === LEFT || !drives.has(at)) return known === LEFT;
  store.transaction(() => writeMeta(store, `drive:${at}`, LEFT));
  return true;
}

const notMountedAt = (path: string): SluiceError =>
  sluiceError('disk.missing', { path, said: `nothing is mounted at ${path}` });

async function missingAbove(
  looking: Looking,
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

/** As missingDrive, of a ledger that is only read. */
export async function knownMissingDrive(
  looking: Omit<Looking, 'drives'>,
  path: string,
): Promise<SluiceError | null> {
  const found = await looking.ports.files.mountOf(path);
  return found === null ? null : missingAbove({ ...looking, drives: new Set() }, found);
}

/**
 * disk.missing when the path was on a drive before that is not mounted now, unless files are where it was mounted and it did not go
 * away during a run: they may have been moved to this disk for good. Null otherwise. Remembers the drive that the path is on.
 */
export async function missingDrive(looking: Looking, path: string): Promise<SluiceError | null> {
  const { ports, store, drives } = looking;
  const found = await ports.files.mountOf(path);
  if (found === null) return null;
  const away = await missingAbove(looking, found);
  if (away !== null) return away;
  const { mount } = found;
  if (mount === null || mount === dirname(mount)) return null;
  drives.add(mount);
  if (readMeta(store, `drive:${mount}`) !== MOUNTED)
    store.transaction(() => writeMeta(store, `drive:${mount}`, MOUNTED));
  return null;
}

/** The results of looks at files: disk.missing for each failed one on a drive that is not connected, as for one that does not answer. */
export function orUnplugged<T>(
  pipeline: Looking,
  paths: readonly string[],
  looks: readonly Result<T>[],
): Promise<readonly Result<T>[]> {
  // Millions of files may be gone with a drive: each directory is looked at once.
  const known = new Map<string, Promise<SluiceError | null>>();
  return Promise.all(
    looks.map(async (look, index) => {
      if (look.ok || look.error.code === 'disk.missing') return look;
      const path = paths[index] ?? '';
      const directory = dirname(path);
      const looking = known.get(directory) ?? missingDrive(pipeline, directory);
      known.set(directory, looking);
      // The path itself may be a link to a drive.
      const away = (await looking) ?? (await missingDrive(pipeline, path));
      return away === null ? look : { ok: false, error: away };
    }),
  );
}

/**
 * Returns the files port with a list() that fails with directory.unreadable below a drive that is not connected, and with a
 * typeOf() that takes what is missing there for a directory. `roots` may be where such a drive is mounted.
 */
export async function withDrives(
  pipeline: Looking,
  files: Files,
  roots: readonly string[],
): Promise<Files> {
  const away = new Set<string>();
  for (const root of roots) if ((await missingDrive(pipeline, root)) !== null) away.add(root);
  const list = async (directory: string): Promise<Result<readonly DirectoryEntry[]>> => {
    const listing = await files.list(directory);
    const isEmpty = listing.ok && listing.value.length === 0 && away.has(directory);
    if (!isEmpty && (listing.ok || listing.error.code !== 'item.gone')) return listing;
    const missing = await missingDrive(pipeline, directory);
    return missing === null ? listing : fail('directory.unreadable', missing.context);
  };
  return {
    ...files,
    list,
    typeOf: async (path) => (await files.typeOf(path)) ?? (away.has(path) ? 'directory' : null),
  };
}
