/** Whether an upload has so few files that the main thread sends them. */
import { lstatSync, opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../engine/core/limits.ts';

/** The files at the paths and directly below them; null for anything else there. */
function* filesAt(paths: readonly string[]): Generator<string | null> {
  for (const path of paths) {
    if (!statSync(path).isDirectory()) {
      yield path;
      continue;
    }
    const directory = opendirSync(path);
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        yield entry.isFile() ? join(path, entry.name) : null;
      }
    } finally {
      directory.closeSync();
    }
  }
}

/**
 * True for paths that lead to a few small files and nothing else. Only a guess, which decides when a thread starts: what cannot be
 * read counts as much. Reads no more entries than it needs, and follows no links in a directory.
 */
export function areFewFiles(paths: readonly string[]): boolean {
  let left = FEW_FILES;
  try {
    for (const path of filesAt(paths)) {
      left -= 1;
      if (left < 0 || path === null || lstatSync(path).size > WHOLE_HASH_MAX_BYTES) return false;
    }
    return true;
  } catch {
    return false;
  }
}
