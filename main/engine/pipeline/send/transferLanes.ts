/** Keeps as many transfers running as the lanes allow, and lets the lanes adapt to what the connection bears. */
import { SluiceFailure } from '../../core/errors.ts';
import { type Transfer, transferById } from '../../store/tables/transfers.ts';
import { dueTransfers, nextDueIn, type TransferOrder } from '../../store/queue/dueTransfers.ts';
import type { LaneBounds } from './adapt.ts';
import { createLaneCount } from './laneCount.ts';
import { createSendTurns } from './sendTurns.ts';
import type { Pipeline } from '../context.ts';
import { tryTransfer } from './transfer.ts';

/**
 * Images that are written down as begun, or whose end is being written down, beside those on the network: the disk is slower
 * than a fast network. After a kill the service is asked about each. Ours.
 */
const IMAGES_BESIDE = 32;
/** So many images must be missing before others are looked for. */
const REFILL = 8;
const LEAST_PAUSE_MS = 20;

export interface TransferLanes {
  /** Starts what may start; answers when to come back, ms. */
  step(): Promise<number | null>;
  /** Transfers running now. */
  running(): number;
  /** Tries that failed since the start. */
  failures(): number;
  /** Resolves when nothing runs. */
  drained(): Promise<void>;
  /** Rejects when a try threw: a bug or a damaged ledger. */
  readonly broken: Promise<never>;
}

/** None while a bound slows each image, or while a single one tries whether an outage is over. */
function imagesBeside({ throttleUp, gate }: Pipeline): number {
  return throttleUp?.isBound() === true || gate.cause('send') !== null ? 0 : IMAGES_BESIDE;
}

/**
 * Ms until something may start: the gate opens, or a pause ends. Asked from the instant before the step on: what falls due
 * in between must not wait for the tick.
 */
function untilNext(pipeline: Pipeline, before: { engine: number; wall: number }): number | null {
  const blocked = pipeline.gate.blocked('send');
  const open = blocked === null ? null : blocked.nextAt - pipeline.ports.clock.monotonicMs();
  const next = open ?? nextDueIn(pipeline.store, before);
  return next === null ? null : Math.max(LEAST_PAUSE_MS, next);
}

/**
 * Passes on what a try threw, unless its transfer was given up since: while it waited for an address, a person removed
 * the watch. The ledger refuses what the try would write next, which is before its first byte leaves.
 */
function unlessGivenUp(
  pipeline: Pipeline,
  id: number,
  fail: (thrown: unknown) => void,
): (thrown: unknown) => void {
  return (thrown) => {
    const refused =
      thrown instanceof SluiceFailure && thrown.error.code === 'bug.illegalTransition';
    if (!refused || transferById(pipeline.store, id)?.state !== 'dropped') fail(thrown);
  };
}

/** While nothing may start, it is looked so often whether that is over: another program may end a pause, ms. Ours. */
const HELD_LOOK_MS = 1_000;

/** Creates the lanes of a pipeline. `heldBack` is asked before each start. */
export function createTransferLanes(
  pipeline: Pipeline,
  bounds: () => LaneBounds,
  heldBack: () => boolean,
  order: () => TransferOrder,
): TransferLanes {
  const running = new Map<number, Promise<void>>();
  const scope = { connectionId: pipeline.connectionId, bases: pipeline.bases };
  const lanes = createLaneCount(pipeline.ports.clock, bounds);
  const room = (): number => Math.min(lanes.allowed(), pipeline.gate.room('send'));
  const turnOf = createSendTurns(pipeline, room, heldBack);
  let failures = 0;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);

  const start = (transfer: Transfer): void => {
    const work = tryTransfer(pipeline, transfer, turnOf(transfer))
      .then((outcome) => {
        if (outcome === null) return;
        if (outcome.kind !== 'sent') failures += 1;
        lanes.ended(outcome, transfer.sizeBytes);
      })
      .catch(unlessGivenUp(pipeline, transfer.id, failure.reject))
      .finally(() => {
        running.delete(transfer.id);
        pipeline.changed('transfer');
      });
    running.set(transfer.id, work);
  };

  const startDue = (now: number): void => {
    const most = room();
    const free = most + imagesBeside(pipeline) - running.size;
    if (free <= 0 || (running.size >= most && free < REFILL)) return;
    const ids = new Set(running.keys());
    const due = dueTransfers(pipeline.store, { ...scope, order: order() }, ids, now, free);
    for (const transfer of due) {
      // What is not an image needs the network from its first step on.
      if (transfer.kind !== 'image' && running.size >= most) break;
      start(transfer);
    }
    if (due.length < free) lanes.wasNotFull();
  };

  const step = async (): Promise<number | null> => {
    await Promise.resolve();
    lanes.turnWindow();
    const now = pipeline.time.now();
    const before = { engine: now, wall: pipeline.ports.clock.now() };
    if (!heldBack()) startDue(now);
    const next = untilNext(pipeline, before);
    return heldBack() ? Math.min(next ?? HELD_LOOK_MS, HELD_LOOK_MS) : next;
  };

  return {
    step,
    running: () => running.size,
    failures: () => failures,
    drained: async () => {
      await Promise.all(running.values());
    },
    broken: failure.promise,
  };
}
