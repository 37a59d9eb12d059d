import { existsSync } from 'node:fs';

/**
 * Ends the process at once. process.exit() would first wait for a thread that a hanging drive holds; where possible, the system ends
 * all threads, by running in their place a program that does nothing. What listens for the exit is not called then.
 */
export function endNow(code: number): never {
  const { execPath, execve, platform } = process;
  const ending = [execPath, '--eval', `process.exit(${code})`];
  // A program that is not there, after an update, would crash this one.
  if (platform !== 'win32' && existsSync(execPath)) execve?.(execPath, ending, {});
  process.exit(code);
}

/**
 * Ends the process, whose work is over: at once where a call to the file system still waits, or a thread with such a call, as on a drive
 * that hangs.
 */
export function endFinished(code: number): never {
  const isHeld = process
    .getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq') || name === 'MessagePort');
  return isHeld ? endNow(code) : process.exit(code);
}
