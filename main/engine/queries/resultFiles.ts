/**
 * The result files of a job on this computer: what the ledger downloaded, and what was unpacked from it. Only these files may be read or
 * shown, and nothing else in their folder.
 */
import { dirname, join, relative, sep } from 'node:path';
import type { ResultFile, ResultKind } from '../core/model.ts';
import type { Files } from '../core/ports.ts';
import { readableName } from '../files/names/pathBytes.ts';
import { unpackedPath } from '../pipeline/download/downloadUnpack.ts';
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { outputPaths } from '../store/tables/outputs.ts';

/** How many files are listed for a job, and how many directories deep. Our choice: an archive may contain anything. */
const MAX_FILES = 200_000;
const MAX_DEPTH = 16;

const KINDS: readonly (readonly [ResultKind, RegExp])[] = [
  ['table', /\.(csv|tsv|jsonl|ndjson)$/i],
  ['image', /\.(jpe?g|png|webp|gif|bmp)$/i],
  ['archive', /\.(tar|tar\.gz|tgz|zip)$/i],
];

/** What a file can be viewed as, by its name. Pure. */
export function resultKind(name: string): ResultKind {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

export interface ResultFiles {
  readonly files: readonly ResultFile[];
  /** Downloaded files that are no longer where they were saved. */
  readonly missing: number;
  /** Archives that are not unpacked, with their target directories. */
  readonly packed: readonly { readonly archive: string; readonly directory: string }[];
}

function donePaths(
  store: Store,
  connectionId: number,
  batchId: string,
  target: string,
): readonly string[] {
  const sql = `SELECT path FROM outputs WHERE connection_id = ? AND batch_id = ? AND target = ? AND state = 'done' ORDER BY part, id LIMIT ?`;
  return store.list((row) => text(row, 'path'), sql, connectionId, batchId, target, MAX_FILES);
}

/** Looks up the type of paths; lists each directory only once. */
function createLookup(files: Files): (path: string) => Promise<string | null> {
  const known = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const read = async (directory: string): Promise<ReadonlyMap<string, string>> => {
    const listed = await files.list(directory);
    return new Map(Array.from(listed.ok ? listed.value : [], ({ name, type }) => [name, type]));
  };
  return async (path) => {
    const directory = dirname(path);
    const entries = known.get(directory) ?? read(directory);
    known.set(directory, entries);
    return (await entries).get(path.slice(directory.length).replace(/^[/\\]/, '')) ?? null;
  };
}

async function walk(
  files: Files,
  directory: string,
  depth: number,
  add: (path: string) => boolean,
): Promise<void> {
  if (depth > MAX_DEPTH) return;
  const listed = await files.list(directory);
  if (!listed.ok) return;
  for (const { name, type } of listed.value) {
    const path = join(directory, name);
    if (type === 'file' && !add(path)) return;
    // Links are neither files nor directories here: an archive cannot lead elsewhere.
    if (type === 'directory') await walk(files, path, depth + 1, add);
  }
}

export async function listResultFiles(
  store: Store,
  files: Files,
  connectionId: number,
  place: { readonly batchId: string; readonly target: string },
): Promise<ResultFiles> {
  const { batchId, target } = place;
  const lookup = createLookup(files);
  const taken = new Set(outputPaths(store, target));
  const found: ResultFile[] = [];
  const packed: { archive: string; directory: string }[] = [];
  let missing = 0;
  const add = (path: string): boolean => {
    if (found.length >= MAX_FILES) return false;
    const name = readableName(relative(target, path)).split(sep).join('/');
    found.push({ path, name, kind: resultKind(path) });
    return true;
  };
  for (const path of donePaths(store, connectionId, batchId, target)) {
    const isHere = (await lookup(path)) === 'file';
    if (!isHere) missing += 1;
    const directory = unpackedPath(path, (other) => taken.has(other));
    const isUnpacked = directory !== null && (await lookup(directory)) === 'directory';
    if (isUnpacked) await walk(files, directory, 1, add);
    else if (isHere && directory !== null) packed.push({ archive: path, directory });
    if (isHere && !isUnpacked) add(path);
  }
  return { files: found, missing, packed };
}
