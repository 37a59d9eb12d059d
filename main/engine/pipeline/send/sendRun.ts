/** What the tries of one run of a pipeline share. */
import type { SignedUpload } from '../../core/model.ts';
import { isStillAbsent } from '../../evidence/absence.ts';
import { gathered } from '../../store/gathered.ts';
import { mayGo } from '../../store/queue/dueTransfers.ts';
import { doubtAgain } from '../../store/queue/lost.ts';
import { beginSending, type Transfer, transferById } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { createTurns } from '../turns.ts';
import { createNamesCheck, createPlannedCheck } from './namesCheck.ts';
import { type Attempt, recordSent, type SentAttempt } from './transferSettle.ts';

/**
 * The check before a lost or doubtful body is sent again: since a list did not show it, it may have waited long for the end of an outage or
 * a pause, or for its turn, and another computer may have used its name. True when the transfer may not be sent now: that list is too old,
 * so that it becomes doubtful, or it was stopped while it waited. To be called in a transaction, and again in the transaction that begins
 * sending.
 */
export function doubtIfOutdated({ pipeline, transfer }: Attempt): boolean {
  const isLost = transfer.absentAt !== null;
  // `verify`: its name holds a damaged body of ours.
  if (!isLost && (!transfer.doubtful || transfer.proof === 'verify')) return false;
  const { store, time, times, ports } = pipeline;
  const present = transferById(store, transfer.id);
  if (present === null || !['planned', 'registered'].includes(present.state)) return true;
  // A doubtful one became due when a list did not show it.
  const absentAt = isLost ? (present.absentAt ?? 0) : present.retryAt;
  const lastByteAt = isLost ? (present.lastByteAt ?? 0) : absentAt;
  if (isStillAbsent({ absentAt, lastByteAt }, time.now(), times)) return false;
  doubtAgain(store, transfer.id, ports.clock.now());
  return true;
}

/** What an address is for: all addresses of a video lead to the same object, each shard has an object of its own. */
function purposeOf({ transfer, items }: Attempt): string {
  return transfer.kind === 'shard'
    ? `shard ${transfer.id}`
    : `${transfer.batchRow} ${items[0]?.name}`;
}

/** How many addresses are remembered: a service that gives an address twice does so soon. Our choice. */
const ADDRESSES = 2000;

/**
 * Remembers the signed addresses that the service gives in one run, to detect when it gives one twice: a second body at the same address
 * would replace the first, which may be confirmed by then. The returned function is false for an address that the service gave for something
 * else before. A restart forgets all of them.
 */
function createAddressCheck() {
  /** The purposes by address, the oldest first. */
  const purposes = new Map<string, string>();
  return (attempt: Attempt, { url, headers }: Pick<SignedUpload, 'url' | 'headers'>): boolean => {
    const address = `${url} ${JSON.stringify(headers)}`;
    const purpose = purposeOf(attempt);
    const known = purposes.get(address) ?? purpose;
    purposes.set(address, known);
    const [oldest] = purposes.keys();
    if (purposes.size > ADDRESSES && oldest !== undefined) purposes.delete(oldest);
    return known === purpose;
  };
}

export function createSendRun(pipeline: Pipeline) {
  const { store, ports } = pipeline;
  const begin = gathered(store.soon, (ids: readonly number[]) => {
    beginSending(store, ids, ports.clock.now());
  });
  return {
    check: createNamesCheck(pipeline),
    checkPlanned: createPlannedCheck(pipeline),
    ownsAddress: createAddressCheck(),
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

/** Runs the work of a try in its turn. Returns null when the try may no longer start: nothing was done. */
export type SendTurn = <T>(work: () => Promise<T>) => Promise<T | null>;

/** Gives each try its turn to use the network. While it waits, an outage may begin, or a person may pause. */
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
