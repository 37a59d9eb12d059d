/** Which paths below a watched directory are left out: hidden and temporary names, forbidden places, and what its rule says. */
import { relative } from 'node:path';
import type { ErrorCode } from '../../core/errors.ts';
import { type EntryType, type LeftOut, temporaryName } from './scan.ts';

/** What decides about a path of a watch. */
export interface FilterWants {
  readonly directory: string;
  /** Why the rule leaves a path out; null when it takes it. */
  readonly leftOut: LeftOut;
  /** Directories below that are never looked at. */
  readonly forbidden: readonly string[];
}

/** The first reason in a path's own names to leave it out: a file in a hidden directory is hidden. */
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
  const inForbidden = wants.forbidden.some((one) => path === one || path.startsWith(`${one}/`));
  if (inForbidden) return 'item.excluded';
  const within = relative(wants.directory, path);
  return hiddenIn(within, type) ?? wants.leftOut(within, type);
}

/**
 * What a listener for hints passes over. It asks about names alone, too (type null), also about names that are gone
 * again: a temporary file that vanished must be passed over then, or its whole directory is read again. A directory of
 * such a name must not, so those that were seen are remembered.
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
