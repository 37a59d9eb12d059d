/** Makes names on disk survive a power cut. Callers waiting for a sync of the same directory share the next one. */
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';

/** Errors that mean that a directory cannot be synced at all: then the rename must suffice. */
const CANNOT_SYNC = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'ENOTSUP', 'EBADF']);

/** A directory kept open while names are created in it. */
interface OpenDirectory {
  /** null where directories cannot be opened. */
  readonly handle: Promise<FileHandle | null>;
  users: number;
  running: Promise<void> | null;
  /** Starts when the running one has ended; covers everything created until then. */
  next: Promise<void> | null;
}

const directories = new Map<string, OpenDirectory>();

function ignoreCannotSync(error: unknown): null {
  if (CANNOT_SYNC.has(errnoOf(error) ?? '')) return null;
  throw error;
}

function directoryAt(path: string): OpenDirectory {
  const known = directories.get(path);
  if (known !== undefined) return known;
  const handle = open(encodePath(path), 'r').catch(ignoreCannotSync);
  const directory = { handle, users: 0, running: null, next: null };
  directories.set(path, directory);
  return directory;
}

async function sync({ handle }: OpenDirectory): Promise<void> {
  await (await handle)?.sync().catch(ignoreCannotSync);
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

/** Resolves when every name that exists now survives a power cut. */
function synced(directory: OpenDirectory): Promise<void> {
  if (directory.running === null) return begin(directory);
  directory.next ??= directory.running.then(
    () => {
      directory.next = null;
      return begin(directory);
    },
    (error: unknown) => {
      directory.next = null;
      // The failure may concern any name made so far, and a system reports it only once: the next sync would succeed.
      throw error;
    },
  );
  return directory.next;
}

/**
 * Creates or renames names in a directory and resolves when that survives a power cut. If the directory cannot be opened because
 * too many files are open, `act` is not called. Rejects with the system's error or what `act` throws.
 */
export async function syncedIn<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  const directory = directoryAt(path);
  directory.users += 1;
  let handle: FileHandle | null = null;
  try {
    handle = await directory.handle;
    const value = await act();
    await synced(directory);
    return value;
  } finally {
    directory.users -= 1;
    if (directory.users === 0) {
      directories.delete(path);
      await handle?.close();
    }
  }
}

/** Makes names created or renamed in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await syncedIn(path, () => undefined);
}
