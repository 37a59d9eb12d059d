/**
 * The check before a lost body is sent again: since its absence was proved, it may have waited long for the end of an outage or a pause, or
 * for its turn.
 */
import { isStillAbsent } from '../../evidence/absence.ts';
import { doubtAgain } from '../../store/queue/lost.ts';
import { transferById } from '../../store/tables/transfers.ts';
import type { Attempt } from './transferSettle.ts';

/**
 * True when the transfer may not be sent now: its proof of absence is too old, so that it becomes doubtful, or it was stopped while it
 * waited for its turn. To be called in a transaction, and again in the transaction that begins sending.
 */
export function doubtIfOutdated({ pipeline, transfer }: Attempt): boolean {
  if (transfer.absentAt === null) return false;
  const { store, time, times, ports } = pipeline;
  const present = transferById(store, transfer.id);
  if (present === null || !['planned', 'registered'].includes(present.state)) return true;
  const absentAt = present.absentAt ?? 0;
  const lastByteAt = present.lastByteAt ?? 0;
  if (isStillAbsent({ absentAt, lastByteAt }, time.now(), times)) return false;
  doubtAgain(store, transfer.id, { now: ports.clock.now() });
  return true;
}
