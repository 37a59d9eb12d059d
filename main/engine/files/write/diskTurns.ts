/** How many calls write to one directory at a time: Node has 32 threads for the disks, and a drive that does not answer keeps each. Our choice. */
const MOST = 8;

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

const directories = new Map<string, Turns>();

/** Does the work once fewer than MOST are under way for this directory. */
export async function inDiskTurn<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const turns = directories.get(directory) ?? { running: 0, waiting: [] };
  directories.set(directory, turns);
  if (turns.running < MOST) turns.running += 1;
  else await new Promise<void>((resolve) => turns.waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = turns.waiting.shift();
    if (next === undefined) turns.running -= 1;
    else next();
    if (turns.running === 0) directories.delete(directory);
  }
}
