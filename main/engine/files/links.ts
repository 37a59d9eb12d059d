/**
 * Remembers the symbolic links within paths, so that a path through a link is known to be on the drive that the link leads to. Looking up
 * known links asks no disk.
 */
import { basename, dirname, join, parse, relative, sep } from 'node:path';

/** How many links of one path are followed: Linux follows no more. */
const MOST_LINKS = 40;

/** A path and its parents below the root, from the top. Pure. */
function wayTo(path: string): readonly string[] {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  return names.map((_, index) => root + names.slice(0, index + 1).join(sep));
}

export interface FollowOptions {
  /** Called, and awaited, for each part of a path before the disk is asked about it. */
  readonly before: (step: string) => Promise<void>;
  /** Called when the links that are known have changed. */
  readonly onChange: () => void;
  /** What a name in a directory leads to; null when it is no link. */
  readonly behind: (directory: string, name: string) => Promise<string | null>;
}

export function createLinks({ before, onChange, behind }: FollowOptions) {
  const known = new Map<string, string>();

  const look = async (step: string): Promise<string | null> => {
    await before(step);
    const target = await behind(dirname(step), basename(step));
    if ((known.get(step) ?? null) === target) return target;
    if (target === null) known.delete(step);
    else known.set(step, target);
    onChange();
    return target;
  };
  return {
    /** The path as given, and its form after each known link was replaced by its target. */
    formsOf(path: string): readonly string[] {
      const forms = [path];
      for (let at = path; known.size > 0 && forms.length <= MOST_LINKS; forms.push(at)) {
        const link = wayTo(at).find((step) => known.has(step));
        if (link === undefined) break;
        at = join(known.get(link) ?? link, relative(link, at));
      }
      return forms;
    },
    /** Follows the links within these paths, one after the other. */
    async follow(paths: readonly string[]): Promise<void> {
      const seen = new Map<string, string | null>();
      for (const path of new Set(paths)) {
        let left = [...wayTo(path)];
        for (let links = 0; left.length > 0 && links < MOST_LINKS;) {
          const [step = '', ...rest] = left;
          const target = seen.has(step) ? (seen.get(step) ?? null) : await look(step);
          seen.set(step, target);
          left = rest;
          if (target === null) continue;
          links += 1;
          left = [...wayTo(join(target, relative(step, rest.at(-1) ?? step)))];
        }
      }
    },
    /** Looks again at the known links in the wanted directories: they may lead elsewhere now. */
    async refresh(isWanted: (directory: string) => boolean): Promise<void> {
      for (const link of [...known.keys()]) if (isWanted(dirname(link))) await look(link);
    },
  };
}
