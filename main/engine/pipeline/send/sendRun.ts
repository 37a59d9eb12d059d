/** What the tries of one run of a pipeline share. */
import { gathered } from '../../store/gathered.ts';
import { beginSending } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { createNamesCheck, type NamesCheck } from './namesCheck.ts';
import { recordSent, type SentAttempt } from './transferSettle.ts';

/** Both records are on disk when their promise resolves. */
export interface SendRun {
  readonly check: NamesCheck;
  /** Records that a transfer is being sent, before its first byte leaves. Rejects if it was given up meanwhile. */
  begin(transferId: number): Promise<void>;
  /** Records that the service accepted a body. */
  delivered(sent: SentAttempt): Promise<void>;
}

/** Creates what a run shares. */
export function createSendRun(pipeline: Pipeline): SendRun {
  const { store, ports } = pipeline;
  return {
    check: createNamesCheck(pipeline),
    begin: gathered(store.soon, (ids: readonly number[]) => {
      beginSending(store, ids, ports.clock.now());
    }),
    delivered: gathered(store.soon, (sent: readonly SentAttempt[]) => {
      recordSent(pipeline, sent);
    }),
  };
}
