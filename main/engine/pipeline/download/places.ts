/** The path of each output: DIR/<part or "files">/<name>. */
import { join, relative } from 'node:path';
import { localFileName, uniqueLocalName } from '../../files/names/localNames.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type OutputName, outputPaths } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

const NO_PART = 'files';

/** Paths in use in a target directory, so that no two files share a path on disks that ignore case. */
export function createPlaces(pipeline: Pipeline, target: string) {
  const keyOf = (path: string): string => nameKey(relative(target, path));
  const taken = new Set<string>();
  for (const path of outputPaths(pipeline.store, target)) taken.add(keyOf(path));
  return {
    isTaken: (path: string) => taken.has(keyOf(path)),
    /** Reserves a unique path for an output. */
    take: ({ part, fileName }: Pick<OutputName, 'part' | 'fileName'>) => {
      const directory = part === '' ? NO_PART : localFileName(part);
      const key = (name: string): string => nameKey(join(directory, name));
      const name = uniqueLocalName(localFileName(fileName), taken, key);
      taken.add(key(name));
      return join(target, directory, name);
    },
  };
}
