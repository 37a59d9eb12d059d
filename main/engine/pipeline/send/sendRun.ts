/** What the tries of one run of a pipeline share. */
import { gathered } from '../../store/gathered.ts';
import { beginSending } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { createNamesCheck, createPlannedCheck } from './namesCheck.ts';
import { doubtIfOutdated } from './doubtIfOutdated.ts';
import { createGivenAddresses } from './givenAddresses.ts';
import { type Attempt, recordSent, type SentAttempt } from './transferSettle.ts';

export function createSendRun(pipeline: Pipeline) {
  const { store, ports } = pipeline;
  const begin = gathered(store.soon, (ids: readonly number[]) => {
    beginSending(store, ids, ports.clock.now());
  });
  return {
    check: createNamesCheck(pipeline),
    checkPlanned: createPlannedCheck(pipeline),
    addresses: createGivenAddresses(),
    /**
     * Records that a transfer is being sent, before its first byte leaves; false when it must be looked for first. Rejects if the transfer
     * was dropped meanwhile.
     */
    begin: async (attempt: Attempt) => {
      const { id, absentAt } = attempt.transfer;
      if (absentAt === null) return begin(id).then(() => true);
      return store.soon(() => {
        if (doubtIfOutdated(attempt)) return false;
        beginSending(store, [id], ports.clock.now());
        return true;
      });
    },
    /** Records that the service accepted a body. */
    delivered: gathered(store.soon, (sent: readonly SentAttempt[]) => {
      recordSent(pipeline, sent);
    }),
  };
}

/** Both records are on disk when their promise resolves. */
export type SendRun = ReturnType<typeof createSendRun>;
