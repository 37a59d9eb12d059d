/** Whether an upload has so few files that the main thread sends them. */
import { lstat, opendir, stat } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inTime } from '../../engine/core/inTime.ts';
import type { Clock } from '../../engine/core/ports.ts';
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../engine/core/limits.ts';

// Not those of node:fs/promises: loading that would delay the start of a thread for many files.
const lstatAsync = promisify(lstat);
const opendirAsync = promisify(opendir);
const statAsync = promisify(stat);

/** The files at the paths and directly below them; null for anything else there. */
async function* filesAt(paths: readonly string[]): AsyncGenerator<string | null> {
  for (const path of paths) {
    if (!(await statAsync(path)).isDirectory()) yield path;
    else
      for await (const entry of await opendirAsync(path))
        yield entry.isFile() ? join(path, entry.name) : null;
  }
}

/** How long the guess may take, in ms. Our choice. */
const GUESS_MS = 1_000;

async function countFew(paths: readonly string[]): Promise<boolean> {
  let left = FEW_FILES;
  try {
    for await (const path of filesAt(paths)) {
      left -= 1;
      if (left < 0 || path === null) return false;
      if ((await lstatAsync(path)).size > WHOLE_HASH_MAX_BYTES) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * True for paths that lead to a few small files and nothing else. Only a guess, which decides when a thread starts: what cannot be
 * read, or takes long, counts as much. Reads no more entries than it needs, and follows no links in a directory.
 */
export async function areFewFiles(
  clock: Pick<Clock, 'sleep'>,
  paths: readonly string[],
): Promise<boolean> {
  return (await inTime(clock, GUESS_MS, countFew(paths)))?.found ?? false;
}
