import { uptimeMs } from '../../core/uptime.ts';
import { mountsOf } from '../silence.ts';

/**
 * How many calls write to one drive at a time: Node has 32 threads for disks, and a drive that does not answer blocks each thread that
 * writes to it. Our choice.
 */
const MOST = 8;
/** For how long a directory counts as on the same drive, in ms: reading the list of mounts takes longer than writing a small file. */
const KNOWN_MS = 10_000;

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/** Does the work once fewer than MOST calls are running for the drive. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const drives = new Map<string, Turns>();

/** The turns for writing to a directory: all directories of a drive share them. On the system disk, each directory has its own. */
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

const known = new Map<string, { readonly drive: string; readonly until: number }>();

function driveOf(directory: string, find: typeof mountsOf): string {
  const before = known.get(directory);
  if (before !== undefined && uptimeMs() < before.until) return before.drive;
  if (known.size >= 1000) known.clear();
  let drive = directory;
  try {
    drive = find([directory])[0] ?? directory;
  } catch {
    // The list of mounts cannot be read.
  }
  known.set(directory, { drive, until: uptimeMs() + KNOWN_MS });
  return drive;
}
