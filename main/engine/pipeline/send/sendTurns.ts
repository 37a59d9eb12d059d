/** Decides when a try may use the network, and whether it still may once its turn comes. */
import { mayGo } from '../../store/queue/dueTransfers.ts';
import type { Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { createTurns, type InTurn } from '../turns.ts';

export interface SendTurn {
  readonly inTurn: InTurn;
  /** Whether the try may still start once its turn comes. */
  readonly stillMay: () => boolean;
}

/** After a longer wait, the ledger is checked again for a pause of the batch, in ms. */
const SHORT_WAIT_MS = 250;

/** Gives each try its turn. While a try waits for it, an outage may begin, or a person may pause uploads. */
export function createSendTurns(
  pipeline: Pipeline,
  room: () => number,
  heldBack: () => boolean,
): (transfer: Transfer) => SendTurn {
  const { signal, gate, store, time } = pipeline;
  const { clock } = pipeline.ports;
  const inTurn = createTurns(() => Math.max(1, room()));
  return ({ batchRow }) => {
    const isProbe = gate.cause('send') !== null;
    const from = clock.monotonicMs();
    const stillMay = (): boolean => {
      if (signal.aborted || heldBack()) return false;
      if (!isProbe && gate.cause('send') !== null) return false;
      return clock.monotonicMs() - from < SHORT_WAIT_MS || mayGo(store, batchRow, time.now());
    };
    return { inTurn, stillMay };
  };
}
