import type { Clock } from './ports.ts';

/**
 * The result of a look at a disk; null when it takes longer than `mostMs`, for example on a drive that does not answer, or when the signal
 * aborts.
 */
export async function inTime<T>(
  clock: Pick<Clock, 'sleep'>,
  mostMs: number,
  look: Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly found: T } | null> {
  const over = new AbortController();
  const signals = signal === undefined ? [over.signal] : [over.signal, signal];
  const late = clock.sleep(mostMs, AbortSignal.any(signals)).then(() => null);
  try {
    return await Promise.race([look.then((found) => ({ found })), late]);
  } finally {
    over.abort();
  }
}
