/**
 * Paths that a person dropped or chose: what is there, and what an upload of them would send, without sending it. Reads only names and sizes.
 */
import { dirname } from 'node:path';
import { fail, ok, type Result, usage } from '../core/errors.ts';
import type { DroppedPath, DropSummary } from '../core/model.ts';
import type { Files } from '../core/ports.ts';
import { scan, type ScanRoot, temporaryName, uploadFilter } from '../pipeline/find/scan.ts';
import { skippedFor } from '../pipeline/identify/judge.ts';
import { kindByName } from '../watches/rule.ts';

/** How many files a summary counts. */
const MOST_COUNTED = 50_000;

/** What is at a path, or where a link there leads; null when nothing is. */
async function targetType(files: Files, path: string): ReturnType<Files['typeOf']> {
  const real = await files.realPath(path);
  return real === null ? null : files.typeOf(real);
}

/** The places of an upload: each path with its root, which is a directory itself, or that of a file. Error: usage.invalid for a missing path. */
export async function placesOf(
  files: Files,
  paths: readonly string[],
): Promise<Result<readonly ScanRoot[]>> {
  const places: ScanRoot[] = [];
  for (const path of paths) {
    const type = await targetType(files, path);
    if (type === null) return usage(`${path} no longer exists`);
    places.push({ path, root: type === 'directory' ? path : dirname(path) });
  }
  return ok(places);
}

async function classify(files: Files, path: string): Promise<DroppedPath> {
  const type = await targetType(files, path);
  if (type === null) return { path, kind: 'gone' };
  if (type !== 'directory') {
    const facts = await files.facts(path);
    return { path, kind: facts.ok ? 'file' : 'unreadable' };
  }
  const listing = await files.list(path);
  return { path, kind: listing.ok ? 'directory' : 'unreadable' };
}

/** Classifies paths and counts the files that an upload would include. Stops early, with `more` set, at 50,000 files or when aborted. */
export async function summarizeDrop(
  files: Files,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<DropSummary> {
  const dropped = await Promise.all(paths.map((path) => classify(files, path)));
  const open = dropped.filter(({ kind }) => kind === 'file' || kind === 'directory');
  let count = 0;
  let bytes = 0;
  let leftOut = 0;
  let isCut = false;
  const from = open.map(({ path }) => ({ path, root: path }));
  for await (const group of scan(files, from, temporaryName, signal)) {
    const taken = group.filter((found) => found.error === null);
    const looks = await files.stat(taken.map((found) => found.path));
    const sizes = looks.flatMap((look, index) => {
      const sizeBytes = look.ok ? look.value.sizeBytes : 0;
      const kind = kindByName(taken[index]?.path ?? '');
      return skippedFor({ kind, sizeBytes }) === null ? [sizeBytes] : [];
    });
    count += sizes.length;
    bytes += sizes.reduce((sum, size) => sum + size, 0);
    leftOut += group.length - sizes.length;
    isCut = count + leftOut >= MOST_COUNTED;
    if (isCut || signal.aborted) break;
  }
  return { paths: dropped, files: count, bytes, leftOut, more: isCut || signal.aborted };
}

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

/** How many files are looked at to find images: a directory full of other things must not keep the window waiting. Our choice. */
const MOST_SEEN = 20_000;

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
    if (seen >= MOST_SEEN || signal.aborted) break;
  }
  return found;
}
