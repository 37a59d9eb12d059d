import type { Clock } from './ports.ts';

/** What a look at a disk finds; null when it takes longer than this, as on a drive that does not answer, or when the signal aborts. */
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
