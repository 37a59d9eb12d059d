/** What a process does first with the work that an earlier one left, however that ended. */
import type { Pipeline } from '../pipeline/context.ts';
import { plannedByEarlierRuns } from '../store/queue/awaited.ts';
import { clampPauses, dueAgain } from '../store/queue/dueTransfers.ts';
import { dropTransfer, recoverSending } from '../store/tables/transfers.ts';

/**
 * Brings what an earlier run left to a known state: whatever was being sent is in doubt, and counts as sent at this moment,
 * since nothing shows when the last byte left. Instants that a wrong clock wrote are brought to now.
 */
export function recover({ store, connectionId, time, times, ports }: Pipeline): void {
  store.transaction(() => {
    const lastByteAt = time.now();
    const inDoubt = recoverSending(store, { connectionId, lastByteAt }, ports.clock.now());
    if (inDoubt > 0) ports.log.write('info', 'ledger.recovered', { transfers: inDoubt });
    // Planned again, which looks into the batch first.
    for (const id of plannedByEarlierRuns(store, connectionId))
      dropTransfer(store, id, ports.clock.now());
    // Pauses belong to the run that made them: a new one tries at once, and makes its own.
    dueAgain(store, connectionId);
    clampPauses(store, time.now(), Math.max(times.parkedAgainMs, times.backoffMaxMs));
  });
}
