/** The path of each output: DIR/<part or "files">/<name>. */
import { hash } from 'node:crypto';
import { join, relative } from 'node:path';
import { localFileName, uniqueLocalName } from '../../files/names/localNames.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type OutputName, outputPaths } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

const NO_PART = 'files';
/** Hexadecimal digits of a hash that fit into an exact number. */
const DIGITS = 13;

/**
 * Names with the same key have the same number. There may be a million, and their text would take several times the memory. If two other
 * names ever had the same number, one of them would only get a "~2" that it does not need.
 */
function numberOf(name: string): number {
  return Number.parseInt(hash('sha1', nameKey(name)).slice(0, DIGITS), 16);
}

/** Paths in use in a target directory, so that no two files share a path on disks that ignore case. */
export function createPlaces(pipeline: Pipeline, target: string) {
  const taken = new Set<number>();
  for (const path of outputPaths(pipeline.store, target))
    taken.add(numberOf(relative(target, path)));
  return {
    isTaken: (path: string) => taken.has(numberOf(relative(target, path))),
    /** Reserves a unique path for an output. */
    take: ({ part, fileName }: Pick<OutputName, 'part' | 'fileName'>) => {
      const directory = part === '' ? NO_PART : localFileName(part);
      const isTaken = (name: string): boolean => taken.has(numberOf(join(directory, name)));
      const name = uniqueLocalName(localFileName(fileName), isTaken);
      taken.add(numberOf(join(directory, name)));
      return join(target, directory, name);
    },
  };
}
