/**
 * Hints on Linux, where chokidar must listen to each directory separately. Left alone, chokidar stats every file of a directory, keeps all
 * names, and lists the directory again for each name that vanishes. Here it knows only directories; each directory is listed once, without
 * looking at its files, and a file is looked at when an event names it.
 */
import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import type { DirectoryEntry } from '../core/model.ts';
import type { NotifyWants } from '../core/ports.ts';
import { entryTypeOf } from './entryType.ts';

/** How many names from events are looked at together. */
const LOOKS_AT_ONCE = 64;
/** How long to wait before listening again to a directory that was removed or moved away, in ms. */
const LISTEN_AGAIN_MS = 1_000;

/** The character that replaces bytes that are not UTF-8. */
const LOST_BYTES = '\ufffd';

/**
 * Events and lists come as text, in which a name that is not UTF-8 loses its bytes: a file or directory with such a name cannot be looked
 * at, or listened to. Call the returned function for each path: it reports once that there are such names.
 */
function createUnheard(wants: NotifyWants): (path: string) => Promise<void> {
  let isSaid = false;
  return async (path) => {
    if (isSaid || !path.includes(LOST_BYTES)) return;
    const names = await readdir(dirname(path), { encoding: 'buffer' }).catch(() => []);
    if (isSaid || names.every((name) => isUtf8(name))) return;
    isSaid = true;
    wants.onTrouble('unheard', path);
  };
}

/** What events name: a directory that is listened to, and a name in it. */
function onNamed(watcher: FSWatcher, take: (directory: string, name: string) => void): void {
  watcher.on('raw', (_event, name, details) => {
    const directory: unknown = Object(details)['watchedPath'];
    if (typeof directory === 'string' && name !== null) take(directory, name);
  });
}

/**
 * Listens again to directories that were replaced. chokidar misses a replacement if it looks while nothing is there and the new directory
 * has the same inode number: its listener is then dead, or was never made. Call the returned function for each directory that appears.
 */
function listenAgain(watcher: FSWatcher, root: string): (directory: string) => void {
  /** Directories to look at, and whether their listener is certainly dead. */
  const doubtful = new Map<string, boolean>();
  const look = async (): Promise<void> => {
    // While chokidar still handles the removal of a directory, a new listener would share the dead one.
    await watcher.lifecycle.drain();
    const directories = [...doubtful];
    doubtful.clear();
    if (watcher.closed) return;
    for (const [directory, isDead] of directories) {
      if (!isDead && watcher.lifecycle.closers.has(directory)) continue;
      watcher.removePath(dirname(directory), basename(directory), true);
      // chokidar itself waits for the root to return.
      if (directory !== root)
        void watcher.lifecycle.track(watcher.handler.addPathOnce(directory, false, undefined, 1));
    }
  };
  const doubt = (directory: string, isDead: boolean): void => {
    if (doubtful.size === 0) setTimeout(() => void look(), LISTEN_AGAIN_MS).unref();
    doubtful.set(directory, isDead || doubtful.get(directory) === true);
  };
  // The event of a removed or moved directory carries its own name. A file in it with the same name causes the same event; listening again
  // is harmless then.
  onNamed(watcher, (directory, name) => {
    if (name === basename(directory)) doubt(directory, true);
  });
  return (directory) => doubt(directory, false);
}

/** Reports the files that events name, once for all events of a file that come before it is looked at. */
function hintAtNamed(
  watcher: FSWatcher,
  isWithin: (path: string) => boolean,
  wants: NotifyWants,
  listenTo: (directory: string) => void,
  unheard: (path: string) => Promise<void>,
): void {
  const named = new Set<string>();
  const look = async (path: string): Promise<void> => {
    const stats = await lstat(path).catch(() => null);
    if (watcher.closed) return;
    if (stats === null) return unheard(path);
    const type = entryTypeOf(stats);
    if (wants.leftOut(path, type)) return;
    // For a new directory, chokidar listens to it and then has it listed.
    if (type === 'directory') listenTo(path);
    else wants.onTouched(path, type);
  };
  let isLooking = false;
  const lookAtAll = async (): Promise<void> => {
    isLooking = true;
    while (named.size > 0) {
      const group = [...named].slice(0, LOOKS_AT_ONCE);
      for (const path of group) named.delete(path);
      await Promise.all(group.map(look));
    }
    isLooking = false;
  };
  onNamed(watcher, (directory, name) => {
    const path = join(directory, name);
    if (named.has(path) || !isWithin(path) || wants.leftOut(path, null)) return;
    named.add(path);
    if (!isLooking) void lookAtAll();
  });
}

export function createDirectoryHints(directory: string, wants: NotifyWants) {
  const below = join(directory, sep);
  const isWithin = (path: string): boolean => path === directory || path.startsWith(below);
  /** When each directory was made, epoch ms: a directory that replaces another may even have the same inode number. */
  const births = new Map<string, number>();
  const unlisted = new Set<string>();
  const unheard = createUnheard(wants);
  /** Directories that were there before the watcher was ready: a scan looks at their files. */
  const initial = new Set([directory]);

  /** For chokidar's option `ignored`: chokidar need not know files, nor paths that are left out. */
  const passOver = (path: string, stats?: Stats): boolean => {
    const type = stats === undefined ? null : entryTypeOf(stats);
    if (path !== directory && wants.leftOut(path, type)) return true;
    if (stats === undefined || type !== 'directory') return stats !== undefined;
    if (births.get(path) !== stats.birthtimeMs) unlisted.add(path);
    births.set(path, stats.birthtimeMs);
    return false;
  };

  /** Makes a watcher report hints; to be called before the watcher gets the directory. */
  const start = (watcher: FSWatcher): void => {
    const list = watcher.createScanStream.bind(watcher);
    // chokidar lists a directory once it listens to it, so that nothing appears unnoticed in between. It lists it again whenever it is in
    // doubt, but that is needed only if it lost events.
    watcher.createScanStream = (path, options) => {
      const isNew = unlisted.delete(path);
      // While chokidar has no closer for a directory, it is still setting up its listener, or could not listen.
      const isListening = watcher.lifecycle.closers.has(path);
      if (!isWithin(path) || (!isNew && isListening)) return undefined;
      const isInitial = initial.has(path);
      const report = (file: string, type: DirectoryEntry['type']): void => {
        if (isInitial || watcher.closed || wants.leftOut(file, type)) return;
        wants.onTouched(file, type);
        void unheard(file);
      };
      return list(path, {
        ...options,
        alwaysStat: false,
        fileFilter: ({ fullPath, dirent }) => {
          if (dirent !== undefined) report(fullPath, entryTypeOf(dirent));
          return false;
        },
        directoryFilter: (entry) => {
          const { fullPath, dirent } = entry;
          if (dirent === undefined) return false;
          if (!dirent.isDirectory()) {
            report(fullPath, entryTypeOf(dirent));
            return false;
          }
          if (wants.leftOut(fullPath, 'directory')) return false;
          if (isInitial) initial.add(fullPath);
          void unheard(fullPath);
          // chokidar asks `stats` whether the entry is a link or a directory, and then looks at the directory itself.
          Object.assign(entry, { stats: dirent });
          return true;
        },
      });
    };
    watcher.on('ready', () => initial.clear());
    watcher.on('unlinkDir', (path) => births.delete(path));
    hintAtNamed(watcher, isWithin, wants, listenAgain(watcher, directory), unheard);
  };
  return { passOver, start };
}
