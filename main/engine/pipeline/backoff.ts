/** When to try again: exponential backoff with jitter; callers keep the time in the row, so it survives a restart. */
import type { SluiceError } from '../core/errors.ts';
import type { Pipeline } from './context.ts';

/**
 * Milliseconds until the next try.
 * @param attempts tries made so far, 1 or more
 * @param fraction a random fraction in [0, 1)
 */
export function backoffMs(
  attempts: number,
  fraction: number,
  bounds: { readonly backoffFirstMs: number; readonly backoffMaxMs: number },
  error: SluiceError | null = null,
): number {
  const stated = error?.retryAfterMs;
  const ceiling = Math.min(
    bounds.backoffMaxMs,
    bounds.backoffFirstMs * 2 ** Math.min(30, Math.max(0, attempts - 1)),
  );
  const jittered = Math.round(ceiling * (0.2 + 0.8 * fraction));
  return stated === undefined ? jittered : Math.max(stated, Math.round(jittered / 4));
}

/**
 * Milliseconds until the next try of something that has been failing for `failingMs`: pauses grow with that time, within the same bounds.
 */
export function backoffSince(
  { ports, times }: Pipeline,
  failingMs: number,
  error: SluiceError | null,
): number {
  const ceiling = Math.min(times.backoffMaxMs, Math.max(times.backoffFirstMs, failingMs));
  const jittered = Math.round(ceiling * (0.5 + 0.5 * ports.random.fraction()));
  return Math.max(error?.retryAfterMs ?? 0, jittered);
}
