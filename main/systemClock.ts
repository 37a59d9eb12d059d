/** The system's clocks. */
import { uptime } from 'node:os';
import type { Clock } from './engine/core/ports.ts';
import { uptimeMs } from './engine/core/uptime.ts';

/**
 * How much further than this process's own time the time since the computer was switched on and the clock are. Both grow while the
 * computer sleeps, if the process does not count that; either may jump without a sleep.
 */
const away = (): readonly number[] => [uptime() * 1000 - uptimeMs(), Date.now() - uptimeMs()];
const awayAtStart = away();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => uptimeMs(),
  sleptMs: () =>
    Math.max(0, Math.min(...away().map((ms, index) => ms - (awayAtStart[index] ?? 0)))),
  bootMs: () => uptime() * 1000,
  // Written by hand: the promise version in node:timers creates an error, with its stack, for every sleeper that is woken.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
