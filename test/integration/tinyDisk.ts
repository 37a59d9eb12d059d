/** A separate small disk, if this run is allowed to mount one. */
import { spawnSync } from 'node:child_process';

/** Mounts a small disk at a directory. False if this run lacks the rights: then it stays an ordinary directory. */
export function mountTiny(directory: string, sizeKib: number): boolean {
  if (process.platform !== 'linux') return false;
  spawnSync('mkdir', ['-p', directory]);
  const options = `size=${sizeKib}k`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0;
}

/** Resizes the disk. */
export function resizeTiny(directory: string, sizeKib: number): void {
  spawnSync('mount', ['-o', `remount,size=${sizeKib}k`, directory]);
}

/** Unmounts the disk, even while it is in use. */
export function unmountTiny(directory: string): void {
  spawnSync('umount', ['-l', directory]);
}
