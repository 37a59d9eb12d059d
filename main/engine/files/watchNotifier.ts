/**
 * Hints about touched names, from chokidar: one system watch per tree on macOS and Windows, one per directory on Linux,
 * never one per file.
 */
import type { Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { watch } from 'chokidar';
import type { DirectoryEntry } from '../core/model.ts';
import type { Notifying, NotifyWants } from '../core/ports.ts';
import { networkShare } from './networkShare.ts';
import { encodePath } from './names/pathBytes.ts';

/** True when the directory is on another computer, as far as the system can tell. */
export async function isRemote(directory: string): Promise<boolean> {
  try {
    const { type } = await statfs(encodePath(directory));
    return networkShare(process.platform, directory, Number(type)) !== null;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}

function typeOf(stats: Stats): DirectoryEntry['type'] {
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFile() ? 'file' : 'other';
}

/** Starts listening. Never throws later: failures are reported through `onTrouble`. */
export function notify(directory: string, wants: NotifyWants): Notifying {
  const watcher = watch(directory, {
    backend: 'auto',
    ignoreInitial: true,
    ignored: (path: string, stats?: Stats) =>
      path !== directory && wants.leftOut(path, stats === undefined ? null : typeOf(stats)),
    atomic: false,
    awaitWriteFinish: false,
    followSymlinks: false,
    persistent: true,
  });
  const touched = (path: string, stats?: Stats): void =>
    wants.onTouched(path, stats === undefined ? null : typeOf(stats));
  watcher.on('add', touched);
  watcher.on('change', touched);
  watcher.on('error', (error) => {
    const code = codeOf(error);
    wants.onTrouble(code === 'ENOSPC' || code === 'EMFILE' ? 'exhausted' : 'failed', code);
  });
  const ready = new Promise<void>((resolve) => {
    watcher.on('ready', () => resolve());
    watcher.on('error', () => resolve());
  });
  return {
    ready,
    close: () => watcher.close(),
  };
}
