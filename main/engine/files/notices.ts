/** Hints about touched names, from chokidar: one watch per directory, never one per file. */
import { watch } from 'chokidar';
import { statfs } from 'node:fs/promises';
import type { Notifying, NotifyWants } from '../ports.ts';
import { encodePath } from './pathBytes.ts';

/** File systems of other machines (statfs f_type): events of others do not arrive from them. */
const REMOTE_TYPES = new Set([
  0x6969, // NFS
  0xff534d42, // CIFS
  0xfe534d42, // SMB2
  0x517b, // SMB
  0x65735546, // FUSE: sshfs and the like
  0x01021997, // 9P
  0x5346414f, // AFS
  0x00c36400, // Ceph
  0x786f4256, // VirtualBox shared folder
]);

/** True when the directory stands on another machine, as far as the system tells. */
export async function isRemote(directory: string): Promise<boolean> {
  try {
    const { type } = await statfs(encodePath(directory));
    return REMOTE_TYPES.has(Number(type) >>> 0);
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}

/** Starts to listen. Nothing is thrown later: trouble is told through `onTrouble`. */
export function notify(directory: string, wants: NotifyWants): Notifying {
  const watcher = watch(directory, {
    backend: 'native',
    ignoreInitial: true,
    // A temporary name that vanishes at once would make it read the whole directory again.
    ignored: (path: string) => path !== directory && wants.leftOut(path),
    atomic: false,
    awaitWriteFinish: false,
    followSymlinks: false,
    persistent: true,
  });
  watcher.on('add', (path) => wants.onTouched(path));
  watcher.on('change', (path) => wants.onTouched(path));
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
    directories: () => Object.keys(watcher.getWatched()).length,
    close: () => watcher.close(),
  };
}
