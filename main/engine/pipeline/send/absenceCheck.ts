/**
 * Before what counted as lost is sent again: does the service really not have it? It may have waited for an outage, a pause or
 * its turn since the list that proved its absence.
 */
import { isStillAbsent } from '../../evidence/absence.ts';
import { doubtAgain } from '../../store/queue/lost.ts';
import { transferById } from '../../store/tables/transfers.ts';
import type { Attempt } from './transferSettle.ts';

/** True when the list must be read again before this is sent: it is in doubt then. */
export async function mustLookAgain({ pipeline, transfer }: Attempt): Promise<boolean> {
  if (transfer.absentAt === null) return false;
  const { store, time, ports } = pipeline;
  // A list that was read while it waited for its turn may have renewed the proof, or have shown it.
  const present = transferById(store, transfer.id) ?? transfer;
  const absentAt = present.absentAt ?? 0;
  const { id, lastByteAt } = present;
  if (isStillAbsent({ absentAt, lastByteAt }, time.now())) return false;
  await store.soon(() => {
    doubtAgain(store, id, lastByteAt ?? absentAt, ports.clock.now());
  });
  return true;
}
