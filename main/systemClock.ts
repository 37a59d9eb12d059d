/** The system's clocks. */
import { uptime } from 'node:os';
import type { Clock } from './engine/core/ports.ts';
import { uptimeMs } from './engine/core/uptime.ts';

/** How much longer the computer has been on than this process has run. Grows while the computer sleeps, if the process does not count that. */
const awayMs = (): number => uptime() * 1000 - uptimeMs();
const awayAtStart = awayMs();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => uptimeMs(),
  sleptMs: () => Math.max(0, awayMs() - awayAtStart),
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
