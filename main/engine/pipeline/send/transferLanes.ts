/** Keeps as many transfers running as the lanes allow, and lets the lanes adapt to what the connection can carry. */
import { least } from '../../core/least.ts';
import { LANES_START } from '../../core/limits.ts';
import { batchByRow } from '../../store/tables/batches.ts';
import { isRefusedMove } from '../../store/gathered.ts';
import type { Store } from '../../store/store.ts';
import { itemsOfTransfers } from '../../store/tables/items.ts';
import { type Transfer, transferById } from '../../store/tables/transfers.ts';
import {
  dueTransfers,
  nextDueIn,
  pausedBy,
  type TransferOrder,
  type TransferScope,
} from '../../store/queue/dueTransfers.ts';
import { createLaneCount, type LaneBounds, type LaneCount } from '../laneCount.ts';
import { createFailingBatches, type FailingBatches } from './failingBatches.ts';
import { createSendRun, createSendTurns } from './sendRun.ts';
import type { Pipeline } from '../context.ts';
import { tryTransfer } from './transfer.ts';
import type { TransferOutcome } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/**
 * How many images are started in addition to those on the network: they wait for their turn, or for their end to be recorded. Our choice.
 */
const IMAGES_AHEAD = 48;
/** Look for more images only when at least this many places are free. */
const REFILL = 16;
const LEAST_PAUSE_MS = 20;

/**
 * How many images may be started ahead: none while a rate limit slows each image, or while a single transfer tests whether an outage is
 * over.
 */
function imagesAhead({ throttle, gate }: Pipeline): number {
  return throttle.isBound() || gate.cause('send') !== null ? 0 : IMAGES_AHEAD;
}

/**
 * Time until the gate opens or a pause ends, in ms, counted from the start of the step: a transfer that becomes due during the step must
 * not wait for the tick.
 */
function untilNext(pipeline: Pipeline, before: { engine: number; wall: number }): number | null {
  const blocked = pipeline.gate.blocked('send');
  const open = blocked === null ? null : blocked.nextAt - pipeline.ports.clock.monotonicMs();
  const next = open ?? nextDueIn(pipeline.store, before);
  return next === null ? null : Math.max(LEAST_PAUSE_MS, next);
}

/**
 * True for what a try threw because its transfer was dropped while the try waited for an address: then the ledger refuses the try's next
 * write, before the first byte leaves.
 */
function isGivenUp({ store }: Pipeline, id: number, thrown: unknown): boolean {
  return isRefusedMove(thrown) && transferById(store, id)?.state === 'dropped';
}

/** How often to check whether a hold is over, in ms: another program may end a pause. Our choice. */
const HELD_LOOK_MS = 1_000;

/** Whether transfers may wait for a batch or a watch to be resumed. Asks the ledger at most once in HELD_LOOK_MS: true in between. */
function createPauseCheck({ store, connectionId, bases, ports }: Pipeline): () => boolean {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = ports.clock.monotonicMs();
    if (now - checkedAt < HELD_LOOK_MS) return true;
    checkedAt = now;
    return pausedBy(store, connectionId, bases) !== null;
  };
}

/** Records what the end of a try says about the number of lanes and about its batch. Its bytes were counted as they left. */
function noteEnd(
  lanes: LaneCount,
  failing: FailingBatches,
  { batchRow }: Transfer,
  outcome: TransferOutcome | null,
): void {
  if (outcome === null) return;
  if (outcome.kind === 'sent') lanes.ended();
  const hasFailed = outcome.kind === 'again' || outcome.kind === 'unknown';
  if (hasFailed) lanes.failed(outcome.error.code);
  failing.noteEnd(batchRow, hasFailed);
}

/** The same pipeline, whose sent bytes count for the number of lanes. */
function withBytesNoted(pipeline: Pipeline, lanes: LaneCount): Pipeline {
  return {
    ...pipeline,
    sentBytes: (count, ofTransfer) => {
      lanes.moved(count);
      pipeline.sentBytes(count, ofTransfer);
    },
  };
}

/** True when the service may refuse the batch of one of these transfers: it refuses one file after another, or did when it was held. */
function isInQuestion({ store, refusals }: Pipeline, due: readonly Transfer[]): boolean {
  const rows = [...new Set(due.map(({ batchRow }) => batchRow))];
  return rows.some(
    (row) => refusals.areMany(row) || (batchByRow(store, row)?.holdCode ?? null) !== null,
  );
}

/** The transfers that may start, to fill the free places. */
function dueNow(
  pipeline: Pipeline,
  scope: TransferScope,
  started: ReadonlySet<number>,
  now: number,
  { free, atOnce }: { readonly free: number; readonly atOnce: number },
): readonly Transfer[] {
  const next = dueTransfers(pipeline.store, scope, started, now, free);
  if (!isInQuestion(pipeline, next)) return next;
  // The files that it refuses may be next to each other: then some from elsewhere are accepted.
  return dueTransfers(pipeline.store, { ...scope, order: 'scattered' }, started, now, atOnce);
}

/** Transfers of these batches only if there are no others: then those of the first that has any. */
function othersFirst(
  failing: readonly number[],
  scope: TransferScope,
  dueIn: (scope: TransferScope) => readonly Transfer[],
): readonly Transfer[] {
  const all = dueIn(scope);
  for (let turn = 0; turn < failing.length && all.length > 0; turn += 1) {
    const due = dueIn({ ...scope, ending: new Set([...scope.ending, ...failing.slice(turn)]) });
    if (due.length > 0) return due;
  }
  return all;
}

/** Those that may start although only `atOnce` have the network at once: anything but an image needs it from its first step on. */
function startable(due: readonly Transfer[], atOnce: number): readonly Transfer[] {
  const left = due.findIndex(({ kind }, index) => kind !== 'image' && index >= atOnce);
  return left < 0 ? due : due.slice(0, left);
}

type Due = Omit<Attempt, 'pipeline'>;

/** The transfers with their batches and items. Each batch is read once: there are many transfers, but few batches. */
function withTheirRows(store: Store, due: readonly Transfer[]): readonly Due[] {
  const rows = new Set(due.map(({ batchRow }) => batchRow));
  const batches = new Map([...rows].map((row) => [row, batchByRow(store, row)]));
  const ids = due.map(({ id }) => id);
  const items = ids.length === 0 ? null : itemsOfTransfers(store, ids);
  return due.flatMap((transfer) => {
    const batch = batches.get(transfer.batchRow);
    return batch ? [{ transfer, batch, items: items?.get(transfer.id) ?? [] }] : [];
  });
}

/** Creates the lanes of a pipeline. `heldBack` is called before each start. */
export function createTransferLanes(
  pipeline: Pipeline,
  bounds: () => LaneBounds,
  heldBack: () => boolean,
  order: () => TransferOrder,
) {
  const running = new Map<number, Promise<void>>();
  const { connectionId, bases, ending } = pipeline;
  const lanes = createLaneCount(pipeline.ports.clock, LANES_START, bounds);
  const room = (): number => Math.min(lanes.allowed(), pipeline.gate.room('send'));
  const mayBePaused = createPauseCheck(pipeline);
  const turnOf = createSendTurns(pipeline, room, heldBack);
  const run = createSendRun(pipeline);
  const sending = withBytesNoted(pipeline, lanes);
  const failing = createFailingBatches(pipeline.times, pipeline.ports.clock);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);

  const start = (due: Due): void => {
    const { transfer } = due;
    const isTrial = pipeline.refusals.areMany(transfer.batchRow);
    const work = tryTransfer(sending, { ...due, isTrial }, turnOf(transfer, isTrial), run)
      .then((outcome) => noteEnd(lanes, failing, transfer, outcome))
      .catch((thrown: unknown) => {
        if (!isGivenUp(pipeline, transfer.id, thrown)) failure.reject(thrown);
      })
      .finally(() => {
        running.delete(transfer.id);
        pipeline.changed('transfer');
      });
    running.set(transfer.id, work);
  };

  const startDue = (now: number): void => {
    const most = room();
    const free = most + imagesAhead(pipeline) - running.size;
    if (free <= 0 || (running.size >= most && free < REFILL)) return;
    const scope = { connectionId, bases, ending, order: order() };
    const atOnce = Math.max(0, most - running.size);
    const isTest = pipeline.gate.cause('send') !== null;
    const due = othersFirst(failing.now(isTest), scope, (within) =>
      dueNow(pipeline, within, new Set(running.keys()), now, { free, atOnce }),
    );
    for (const next of withTheirRows(pipeline.store, startable(due, atOnce))) start(next);
    if (running.size < most) lanes.wasNotFull();
  };

  const step = async (): Promise<number | null> => {
    await Promise.resolve();
    lanes.turnWindow();
    const now = pipeline.time.now();
    const before = { engine: now, wall: pipeline.ports.clock.now() };
    if (!heldBack()) startDue(now);
    const held = heldBack() || mayBePaused() ? HELD_LOOK_MS : null;
    // While large files are on their way, nothing may end for a long time.
    return least([untilNext(pipeline, before), held, running.size > 0 ? lanes.windowMs() : null]);
  };

  return {
    /** Starts what may start. Returns when to run again, in ms from now; null when nothing is due. */
    step,
    running: () => running.size,
    /** Resolves when nothing is running. */
    drained: () => Promise.all(running.values()).then(() => undefined),
    /** Rejects when a try threw, which means a bug or a damaged ledger. */
    broken: failure.promise,
  };
}

export type TransferLanes = ReturnType<typeof createTransferLanes>;
