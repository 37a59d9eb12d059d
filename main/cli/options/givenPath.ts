/** Paths as people type them. */
import { globSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** A disk of these systems usually finds a path in any case. */
const IGNORES_CASE: readonly NodeJS.Platform[] = ['darwin', 'win32'];

/**
 * The whole path. In the spelling that the disk has, where it ignores case: a file in `c:\cam` would otherwise not be known as the one in
 * `C:\Cam`. A path that leads elsewhere, over a link or a mapped drive, stays as it was typed.
 */
export function givenPath(given: string, platform = process.platform): string {
  const path = resolve(given);
  if (!IGNORES_CASE.includes(platform)) return path;
  try {
    const real = realpathSync.native(path);
    return real.toLowerCase() === path.toLowerCase() ? real : path;
  } catch {
    return path;
  }
}

/** The paths that `*` and `?` stand for on Windows, where the shell leaves them to the program; the same path when they match nothing. */
export function givenPaths(given: string, platform = process.platform): readonly string[] {
  const isPattern = platform === 'win32' && /[*?]/.test(given);
  // Everything else in a pattern is part of a name.
  const found = isPattern ? globSync(given.replaceAll(/[[{(]/g, '[$&]')).sort() : [];
  return (found.length === 0 ? [given] : found).map((path) => givenPath(path, platform));
}
