/** Summary of what the user dropped or chose: the kind of each path, and how many files it contains. Reads only names and sizes. */
import type { DroppedPath, DropSummary } from '../core/model.ts';
import { scan, temporaryName, type ScanRoot } from '../pipeline/find/scan.ts';
import { skippedFor } from '../pipeline/identify/judge.ts';
import { kindByName } from '../watches/rule.ts';
import type { Files } from '../core/ports.ts';
import { type Result, ok, usage } from '../core/errors.ts';
import { dirname } from 'node:path';

const MAX_FILES = 50_000;

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
    isCut = count + leftOut >= MAX_FILES;
    if (isCut || signal.aborted) break;
  }
  return { paths: dropped, files: count, bytes, leftOut, more: isCut || signal.aborted };
}
