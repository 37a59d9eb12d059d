/** Summary of what the user dropped or chose: the kind of each path, and how many files it contains. Reads only names and sizes. */
import type { DroppedPath, DropSummary } from '../core/model.ts';
import { scan, temporaryName } from '../pipeline/find/scan.ts';
import { skippedFor } from '../pipeline/identify/judge.ts';
import { kindByName } from '../watches/rule.ts';
import type { Files } from '../core/ports.ts';

const MAX_FILES = 50_000;

async function classify(files: Files, path: string): Promise<DroppedPath> {
  const real = await files.realPath(path);
  const type = real === null ? null : await files.typeOf(real);
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
