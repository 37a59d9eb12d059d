/** A small disk of its own, where the right to mount one is there. */
import { spawnSync } from 'node:child_process';

/** Puts a small disk at a directory. False where that needs rights this run has not: then it is an ordinary directory. */
export function mountTiny(directory: string, sizeKib: number): boolean {
  if (process.platform !== 'linux') return false;
  spawnSync('mkdir', ['-p', directory]);
  const options = `size=${sizeKib}k`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0;
}

/** Gives the disk another size. */
export function resizeTiny(directory: string, sizeKib: number): void {
  spawnSync('mount', ['-o', `remount,size=${sizeKib}k`, directory]);
}

/** Takes the disk away, even while it is in use. */
export function unmountTiny(directory: string): void {
  spawnSync('umount', ['-l', directory]);
}
