/** Which paths of this computer the window may name: those a person chose in a dialog or dropped, and those in a rule already. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

export interface AllowedPaths {
  /** A person chose or dropped these. */
  allow(paths: readonly string[]): void;
  /** True for such a path, anything below it, and what `known` tells; never for what a link leads to outside of them. */
  has(path: string): Promise<boolean>;
}

const MOST = 20_000;

function inside(path: string, directory: string): boolean {
  const edge = directory.endsWith(sep) ? directory : directory + sep;
  return path === directory || path.startsWith(edge);
}

/** The path with every link followed; of what is not there yet, the directory above it counts. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPlace(parent), basename(path));
  }
}

/** Makes the memory of this session. `known` tells the paths that stand in the ledger. */
export function createAllowedPaths(known: () => readonly string[]): AllowedPaths {
  const chosen = new Set<string>();
  return {
    allow: (paths) => {
      for (const path of paths.slice(0, MOST)) chosen.add(resolve(path));
      for (const path of chosen) {
        if (chosen.size <= MOST) break;
        chosen.delete(path);
      }
    },
    has: async (path) => {
      const wanted = resolve(path);
      if (wanted !== path.replace(/(.)[/\\]+$/, '$1')) return false;
      const above = [...chosen, ...known()].filter((one) => inside(wanted, one));
      if (above.length === 0) return false;
      const real = await realPlace(wanted);
      for (const one of new Set(above)) if (inside(real, await realPlace(one))) return true;
      return false;
    },
  };
}
