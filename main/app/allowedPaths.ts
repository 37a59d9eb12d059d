/** Which paths of this computer the window may name: those a person chose in a dialog or dropped, and those in a rule already. */
import { resolve, sep } from 'node:path';

export interface AllowedPaths {
  /** A person chose or dropped these. */
  allow(paths: readonly string[]): void;
  /** True for such a path, anything below it, and what `known` tells. */
  has(path: string): boolean;
}

const MOST = 20_000;

function inside(path: string, directory: string): boolean {
  const edge = directory.endsWith(sep) ? directory : directory + sep;
  return path === directory || path.startsWith(edge);
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
    has: (path) => {
      const wanted = resolve(path);
      if (wanted !== path.replace(/(.)[/\\]+$/, '$1')) return false;
      return [...chosen, ...known()].some((one) => inside(wanted, one));
    },
  };
}
