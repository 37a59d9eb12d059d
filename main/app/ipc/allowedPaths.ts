/** Paths that the window may use: those the user chose in a dialog or dropped, and those that a rule uses already. */
import { resolve } from 'node:path';
import { type Result, usage } from '../../engine/core/errors.ts';
import { isInside } from '../../engine/core/isInside.ts';
import type { Files } from '../../engine/core/ports.ts';
import { followExisting } from '../../engine/watches/registry.ts';

const MAX_PATHS = 20_000;

/** The list lasts for this session. `known` returns the paths in the ledger. */
export function createAllowedPaths(files: Pick<Files, 'realPath'>, known: () => readonly string[]) {
  const chosen = new Set<string>();
  const has = async (path: string): Promise<boolean> => {
    const wanted = resolve(path);
    if (wanted !== path.replace(/(.)[/\\]+$/, '$1')) return false;
    const above = [...chosen, ...known()].filter((one) => isInside(wanted, one));
    if (above.length === 0) return false;
    const real = await followExisting(files, wanted);
    for (const one of new Set(above))
      if (isInside(real, await followExisting(files, one))) return true;
    return false;
  };
  return {
    /** The user chose or dropped these. */
    allow: (paths: readonly string[]) => {
      for (const path of paths.slice(0, MAX_PATHS)) chosen.add(resolve(path));
      for (const path of chosen) {
        if (chosen.size <= MAX_PATHS) break;
        chosen.delete(path);
      }
    },
    /** True for such a path, anything below it, and what `known` returns; false for a link that points outside of them. */
    has,
    /** Does the work if every path is allowed; null entries are ignored. Errors: usage.invalid, and those of the work. */
    run: async <T>(
      paths: readonly (string | null)[],
      work: () => Promise<Result<T>> | Result<T>,
    ): Promise<Result<T>> => {
      for (const path of paths) {
        if (path !== null && !(await has(path)))
          return usage(`drop ${path} or choose it in the dialog`);
      }
      return work();
    },
  };
}

export type AllowedPaths = ReturnType<typeof createAllowedPaths>;
