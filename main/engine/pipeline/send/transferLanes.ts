/** Keeps as many transfers running as the lanes allow, and lets the lanes adapt to what the connection bears. */
import { SluiceFailure } from '../../core/errors.ts';
import { transferById } from '../../store/tables/transfers.ts';
import { dueTransfers, nextDueIn, type TransferOrder } from '../../store/queue/dueTransfers.ts';
import { adaptLanes, type LaneBounds, type Lanes, startLanes } from './adapt.ts';
import type { Pipeline } from '../context.ts';
import { tryTransfer } from './transfer.ts';
import type { TransferOutcome } from './transferOutcome.ts';

const WINDOW_MS = 400;
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

function troubled(outcome: TransferOutcome): boolean {
  if (outcome.kind !== 'again' && outcome.kind !== 'unknown') return false;
  return outcome.error.code === 'service.busy' || outcome.error.code === 'network.timeout';
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
  let lanes: Lanes = startLanes(bounds());
  let window = { from: pipeline.ports.clock.monotonicMs(), full: true, trouble: false, bytes: 0 };
  let failures = 0;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);

  const turnWindow = (): void => {
    const now = pipeline.ports.clock.monotonicMs();
    const durationMs = now - window.from;
    if (durationMs < WINDOW_MS && !window.trouble) return;
    lanes = adaptLanes(lanes, { ...window, durationMs }, bounds());
    window = { from: now, full: true, trouble: false, bytes: 0 };
  };

  const start = (transfer: Parameters<typeof tryTransfer>[1]): void => {
    const work = tryTransfer(pipeline, transfer)
      .then((outcome) => {
        if (outcome === null) return;
        if (outcome.kind === 'sent') window.bytes += transfer.sizeBytes + 1;
        else failures += 1;
        if (troubled(outcome)) window.trouble = true;
      })
      .catch(unlessGivenUp(pipeline, transfer.id, failure.reject))
      .finally(() => {
        running.delete(transfer.id);
        pipeline.changed('transfer');
      });
    running.set(transfer.id, work);
  };

  const step = async (): Promise<number | null> => {
    await Promise.resolve();
    turnWindow();
    const now = pipeline.time.now();
    const before = { engine: now, wall: pipeline.ports.clock.now() };
    const free = Math.min(lanes.allowed, pipeline.gate.room('send')) - running.size;
    if (free > 0 && !heldBack()) {
      const ids = new Set(running.keys());
      const due = dueTransfers(pipeline.store, { ...scope, order: order() }, ids, now, free);
      for (const transfer of due) start(transfer);
      if (due.length < free) window.full = false;
    }
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
