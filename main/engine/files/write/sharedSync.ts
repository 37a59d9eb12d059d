/** Directories in which many names are made at the same time: what waits for a sync of the same directory shares the next one. */
import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { encodePath } from '../names/pathBytes.ts';
import { cannotSync } from './syncDirectory.ts';

const syncFile = promisify(fsync);

/** An open directory, as long as somebody makes names in it. */
interface OpenDirectory {
  /** null where directories cannot be opened. */
  readonly fd: number | null;
  users: number;
  running: Promise<void> | null;
  /** Begins when the running one has ended; covers what is made until then. */
  next: Promise<void> | null;
}

const directories = new Map<string, OpenDirectory>();

function openDirectory(path: string): number | null {
  try {
    return openSync(encodePath(path), 'r');
  } catch (error) {
    if (cannotSync(error)) return null;
    throw error;
  }
}

async function sync(directory: OpenDirectory): Promise<void> {
  const { fd } = directory;
  if (fd === null) return;
  try {
    await syncFile(fd);
  } catch (error) {
    if (!cannotSync(error)) throw error;
  }
}

function begin(directory: OpenDirectory): Promise<void> {
  const running = sync(directory);
  const over = (): void => {
    if (directory.running === running) directory.running = null;
  };
  directory.running = running;
  running.then(over, over);
  return running;
}

/** Resolves when every name that is there now survives a power cut. */
function synced(directory: OpenDirectory): Promise<void> {
  if (directory.running === null) return begin(directory);
  const startNext = (): Promise<void> => {
    directory.next = null;
    return begin(directory);
  };
  directory.next ??= directory.running.then(startNext, startNext);
  return directory.next;
}

/**
 * Makes or renames names in a directory and resolves when that survives a power cut. What cannot even be begun, for want of open
 * files, is not done. Rejects with what the system says, or `act` throws.
 */
export async function syncedTogether<T>(path: string, act: () => T): Promise<T> {
  let directory = directories.get(path);
  if (directory === undefined) {
    directory = { fd: openDirectory(path), users: 0, running: null, next: null };
    directories.set(path, directory);
  }
  directory.users += 1;
  try {
    const value = act();
    await synced(directory);
    return value;
  } finally {
    directory.users -= 1;
    if (directory.users === 0) {
      directories.delete(path);
      if (directory.fd !== null) closeSync(directory.fd);
    }
  }
}
