import { mountsOf } from '../silence.ts';

/** How many calls write to one drive at a time: Node has 32 threads for the disks, and a drive that does not answer keeps each. Our choice. */
const MOST = 8;

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/** Does the work once fewer than MOST are under way for the drive. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const drives = new Map<string, Turns>();

/** What is written to a directory shares its turns with all directories of its drive. On the disk of the system, each has its own. */
export function diskTurns(directory: string, find: typeof mountsOf = mountsOf): InTurn {
  const drive = driveOf(directory, find);
  return async (work) => {
    const turns = drives.get(drive) ?? { running: 0, waiting: [] };
    drives.set(drive, turns);
    if (turns.running < MOST) turns.running += 1;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = turns.waiting.shift();
      if (next === undefined) turns.running -= 1;
      else next();
      if (turns.running === 0) drives.delete(drive);
    }
  };
}

function driveOf(directory: string, find: typeof mountsOf): string {
  try {
    return find([directory])[0] ?? directory;
  } catch {
    // The list of mounts cannot be read.
    return directory;
  }
}
