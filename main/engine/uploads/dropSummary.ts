/** What paths hold that were dropped or chosen: what each of them is, and how much is in them. Reads names and sizes only. */
import type { HeldPlace, HeldView } from '../../../preload/contract/records.ts';
import { scan, temporaryName } from '../pipeline/find/scan.ts';
import type { Files } from '../core/ports.ts';

const MOST_FILES = 50_000;

async function placeOf(files: Files, path: string): Promise<HeldPlace> {
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

/** Looks at paths and counts what an upload would take of them; ends early, and says so, at a bound or when aborted. */
export async function lookAtHeld(
  files: Files,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<HeldView> {
  const places = await Promise.all(paths.map((path) => placeOf(files, path)));
  const open = places.filter(({ kind }) => kind === 'file' || kind === 'directory');
  let count = 0;
  let bytes = 0;
  let leftOut = 0;
  const from = open.map(({ path }) => ({ path, root: path }));
  for await (const group of scan(files, from, temporaryName, signal)) {
    const taken = group.filter((found) => found.error === null);
    const looks = await files.look(taken.map((found) => found.path));
    const sizes = looks.flatMap((look) =>
      look.ok && look.value.sizeBytes > 0 ? [look.value.sizeBytes] : [],
    );
    count += sizes.length;
    bytes += sizes.reduce((sum, size) => sum + size, 0);
    leftOut += group.length - sizes.length;
    if (count >= MOST_FILES || signal.aborted) break;
  }
  return { places, files: count, bytes, leftOut, more: count >= MOST_FILES || signal.aborted };
}
