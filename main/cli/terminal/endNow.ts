import { existsSync } from 'node:fs';
import { hasHeldCalls } from '../../engine/core/heldCalls.ts';

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

/** Ends the process, whose work is over: at once where a drive that does not answer would hold its end. */
export function endFinished(code: number): never {
  return hasHeldCalls() ? endNow(code) : process.exit(code);
}
