/** Hints on macOS and Windows, from chokidar: one system watch per tree, none per directory or file. */
import type { Stats } from 'node:fs';
import { FSWatcher } from 'chokidar';
import { errnoOf } from '../core/errno.ts';
import type { Notifying, NotifyWants } from '../core/ports.ts';
import { entryTypeOf } from './entryType.ts';

/** Starts listening. Never throws later: failures are reported through `onTrouble`. */
export function listenToTree(directory: string, wants: NotifyWants): Notifying {
  const leftOut = (path: string, stats?: Stats): boolean =>
    path !== directory && wants.leftOut(path, stats === undefined ? null : entryTypeOf(stats));
  const watcher = new FSWatcher({
    backend: 'auto',
    ignoreInitial: true,
    ignored: leftOut,
    atomic: false,
    awaitWriteFinish: false,
    followSymlinks: false,
    persistent: true,
  });
  const touched = (path: string, stats?: Stats): void =>
    wants.onTouched(path, stats === undefined ? null : entryTypeOf(stats));
  watcher.on('add', touched);
  watcher.on('change', touched);
  watcher.on('error', (error) => {
    const code = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
    wants.onTrouble(code === 'ENOSPC' || code === 'EMFILE' ? 'exhausted' : 'failed', code);
  });
  const ready = new Promise<void>((resolve) => {
    watcher.on('ready', () => resolve());
    watcher.on('error', () => resolve());
  });
  watcher.add(directory);
  return {
    ready,
    close: () => watcher.close(),
  };
}
