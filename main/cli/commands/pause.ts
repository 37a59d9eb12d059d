/** `sluice pause` and `sluice resume`: for everything, or for one batch. Works while another process owns the ledger. */
import { pauseAll, pauseOneBatch } from '../../engine/runner/liveSettings.ts';
import { withClientAndLedger } from '../session/client.ts';
import type { Action } from '../session/context.ts';
import { writeLedger } from '../session/ledger.ts';

function setPaused(paused: boolean): Action {
  return (context) => {
    const batchId = context.args.text('batch');
    const what = batchId === null ? 'Everything' : `Batch ${batchId}`;
    const line = `${what} is ${paused ? 'paused' : 'resumed'}.`;
    if (batchId === null) {
      return writeLedger(context, (store) => {
        pauseAll(store, paused);
        return context.output.result({ paused }, [line]);
      });
    }
    return withClientAndLedger(context, ({ store, connectionId }) => {
      const done = pauseOneBatch(store, connectionId, batchId, paused);
      if (!done.ok) return done;
      return context.output.result({ batch: batchId, paused }, [line]);
    });
  };
}

export const pause = setPaused(true);
export const resume = setPaused(false);
