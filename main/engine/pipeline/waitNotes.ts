/** Notes in the ledger what waits, so that other programs can show it. */
import type { SluiceError } from '../core/errors.ts';
import { clearWait, noteWait, waitReasonOf, type WaitSubject } from '../store/tables/waits.ts';
import type { Pipeline } from './context.ts';

/** Notes why something waits, and for how long if that is known; null clears the note. To be called in a transaction. */
export function noteOrClear(
  { store, connectionId, time }: Pick<Pipeline, 'store' | 'connectionId' | 'time'>,
  subject: WaitSubject,
  error: SluiceError | null,
  pauseMs: number | null = null,
): void {
  if (error === null) return clearWait(store, connectionId, subject);
  const now = time.now();
  const nextAt = pauseMs === null ? null : Math.ceil(now + pauseMs);
  noteWait(store, connectionId, subject, waitReasonOf(error, nextAt), now);
}
