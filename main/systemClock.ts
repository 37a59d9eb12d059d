/** The system's clocks. */
import type { Clock } from './engine/core/ports.ts';
import { uptimeMs } from './engine/core/uptime.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => uptimeMs(),
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
