import { sep } from 'node:path';

/** True for a directory itself and everything below it. Pure. */
export function isInside(path: string, directory: string): boolean {
  return (
    path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
  );
}

/** True when one is inside the other, or both are the same. Pure. */
export function doOverlap(one: string, other: string): boolean {
  return isInside(one, other) || isInside(other, one);
}
