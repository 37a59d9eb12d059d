/** Which paths of a watch are left out: hidden and temporary names, forbidden directories, and what its rule excludes. */
import { relative } from 'node:path';
import type { ErrorCode } from '../../core/errors.ts';
import { isInside } from '../../core/isInside.ts';
import { type EntryType, type LeftOut, temporaryName } from './scan.ts';

export interface FilterWants {
  readonly directory: string;
  /** Why the rule leaves a path out; null when it takes it. */
  readonly leftOut: LeftOut;
  /** Directories below it that are never read. */
  readonly forbidden: readonly string[];
}

/** The first reason among the parts of a path to leave it out: a file in a hidden directory is hidden. */
function hiddenIn(within: string, type: EntryType): ErrorCode | null {
  const parts = within.split(/[/\\]/);
  const last = parts.length - 1;
  for (const [index, part] of parts.entries()) {
    const code = temporaryName(part, index === last ? type : 'directory');
    if (code !== null) return code;
  }
  return null;
}

/** Why a path is left out of a watch; null when it is taken. */
export function leaveOut(wants: FilterWants, path: string, type: EntryType): ErrorCode | null {
  if (wants.forbidden.some((one) => isInside(path, one))) return 'item.excluded';
  const within = relative(wants.directory, path);
  return hiddenIn(within, type) ?? wants.leftOut(within, type);
}

/**
 * Which hints a listener ignores. The listener also asks about names without a type (null): they may be gone again. If such a name looks
 * temporary, the hint must be ignored, because otherwise the whole directory would be read again. Directories with such names must not be
 * ignored, so they are remembered.
 */
export function createHintFilter(
  wants: FilterWants,
): (path: string, type: EntryType | null) => boolean {
  const oddDirectories = new Set<string>();
  return (path, type) => {
    if (type !== null && type !== 'directory') return leaveOut(wants, path, type) !== null;
    if (leaveOut(wants, path, 'directory') !== null) return true;
    const looksTemporary = temporaryName(path, 'file') !== null;
    if (looksTemporary && type === 'directory') oddDirectories.add(path);
    return looksTemporary && !oddDirectories.has(path);
  };
}
