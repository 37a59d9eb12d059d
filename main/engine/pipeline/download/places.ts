/** The path of each output: DIR/<part or "files">/<name>. */
import { join, relative } from 'node:path';
import { localFileName, uniqueLocalName } from '../../files/names/localNames.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type OutputName, outputPaths } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

/** Paths in use in a target directory, so that no two files share a path on disks that ignore case. */
export interface Places {
  /** Reserves a unique path for an output. */
  take(output: Pick<OutputName, 'part' | 'fileName'>): string;
  isTaken(path: string): boolean;
}

const NO_PART = 'files';

export function createPlaces(pipeline: Pipeline, target: string): Places {
  const keyOf = (path: string): string => nameKey(relative(target, path));
  const taken = new Set<string>();
  for (const path of outputPaths(pipeline.store, target)) taken.add(keyOf(path));
  return {
    isTaken: (path) => taken.has(keyOf(path)),
    take: ({ part, fileName }) => {
      const directory = join(target, part === '' ? NO_PART : localFileName(part));
      const key = (name: string): string => keyOf(join(directory, name));
      const name = uniqueLocalName(localFileName(fileName), taken, key);
      taken.add(key(name));
      return join(directory, name);
    },
  };
}
