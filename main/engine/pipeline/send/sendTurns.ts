/** When a try may use the network, and whether it may still start when its turn comes. */
import { mayGo } from '../../store/queue/dueTransfers.ts';
import type { Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { createTurns } from '../turns.ts';

/** Runs the work of a try in its turn. Returns null when the try may no longer start: nothing was done. */
export type SendTurn = <T>(work: () => Promise<T>) => Promise<T | null>;

/** Gives each try its turn. While it waits, an outage may begin, or a person may pause. */
export function createSendTurns(
  pipeline: Pipeline,
  room: () => number,
  heldBack: () => boolean,
): (transfer: Transfer, isTrial: boolean) => SendTurn {
  const { signal, gate, store, time, ending, refusals } = pipeline;
  const inTurn = createTurns(() => Math.max(1, room()));
  return ({ batchRow }, isTrial) => {
    const isProbe = gate.cause('send') !== null;
    const mayStart = (): boolean =>
      !signal.aborted &&
      !heldBack() &&
      (isProbe || gate.cause('send') === null) &&
      (isTrial || !refusals.areMany(batchRow)) &&
      !ending.has(batchRow) &&
      mayGo(store, batchRow, time.now());
    return (work) => inTurn(async () => (mayStart() ? work() : null));
  };
}
