/** The first step of a process: handles work that an earlier process left, however that one ended. */
import type { Pipeline } from '../pipeline/context.ts';
import { plannedByEarlierRuns } from '../store/queue/awaited.ts';
import { clampPauses, dueAgain } from '../store/queue/dueTransfers.ts';
import { doubtAllAgain } from '../store/queue/lost.ts';
import { beginEngineTime, noteRunClocks } from '../store/tables/engineClock.ts';
import { dropTransfer, recoverSending } from '../store/tables/transfers.ts';

/**
 * Brings what an earlier run left into a known state: transfers that were being sent, or were lost, become doubtful. Those that were being
 * sent count as sent now, because nothing shows when their last byte left. The age of other doubts counts over all runs, so that runs of a
 * minute settle them, too. Times that a wrong clock wrote are moved to now.
 */
export function recover({ store, connectionId, time, times, ports }: Pipeline): void {
  const { clock } = ports;
  store.transaction(() => {
    beginEngineTime(store, connectionId);
    const now = clock.now();
    const clocks = { startedAt: time.now(), bootMs: clock.bootMs?.() ?? null };
    const laterMs = noteRunClocks(store, connectionId, clocks);
    const inDoubt =
      doubtAllAgain(store, connectionId, now) +
      recoverSending(store, connectionId, { now: time.now(), laterMs }, now);
    if (inDoubt > 0) ports.log.write('info', 'ledger.recovered', { transfers: inDoubt });
    // Their files are planned again, and planning checks the batch first.
    for (const id of plannedByEarlierRuns(store, connectionId)) dropTransfer(store, id, now);
    // Pauses belong to the run that set them: a new run tries at once and sets its own.
    dueAgain(store, connectionId);
    clampPauses(store, time.now(), Math.max(times.parkedAgainMs, times.backoffMaxMs));
  });
}
