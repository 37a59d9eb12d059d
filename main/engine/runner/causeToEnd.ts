/** What ends a command that is to end by itself, although the files have not arrived. */
import type { SluiceError } from '../core/errors.ts';
import type { ConnectionRunner } from './connectionRunner.ts';

/**
 * Causes that end a one-shot command, and after how long, ms: a person must act, and a short outage must not look like one.
 * A key that never worked ends it at once.
 */
const ENDING: ReadonlyMap<string, number> = new Map([
  ['auth.rejected', 30_000],
  ['service.quota', 120_000],
  ['service.forbidden', 120_000],
  ['network.proxyAuth', 30_000],
  ['disk.full', 0],
  ['disk.failed', 0],
]);

/**
 * Why a command gives up at this monotonic instant; null while it goes on. A short outage never is a reason; a key that
 * never worked is one at once.
 */
export function causeToEnd(running: ConnectionRunner, now: number): SluiceError | null {
  const cause = running.blockedBy();
  const endsAfter = cause === null ? undefined : ENDING.get(cause.code);
  if (cause === null || endsAfter === undefined) return null;
  const isFirstContact = cause.code === 'auth.rejected' && !running.everAccepted();
  const since = running.blockedSince() ?? now;
  return isFirstContact || now - since >= endsAfter ? cause : null;
}
