/** The steps of a pipeline that need only the pipeline, in the form that its lanes run. */
import type { SluiceError } from '../core/errors.ts';
import type { CountsSeen } from '../pipeline/confirm/confirmUnproven.ts';
import { retryParked } from './upkeep.ts';
import { backoffSince } from '../pipeline/backoff.ts';
import { confirm } from '../pipeline/confirm/confirm.ts';
import type { BatchPollStates } from '../pipeline/confirm/pollState.ts';
import { type ChooserOf, identifyAgain } from '../pipeline/identify/identifyAgain.ts';
import type { Step } from '../pipeline/lane.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { ListedBatches, waitsForOthers } from '../pipeline/plan/awaitOthers.ts';
import { plan } from '../pipeline/plan/plan.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { nextDueIn } from '../store/queue/dueTransfers.ts';
import { noteOrClear } from '../pipeline/waitNotes.ts';

/** The shortest pause of a lane that waits for a certain time. */
const LEAST_PAUSE_MS = 20;

export interface StepState {
  planError: SluiceError | null;
  /** When planning began to fail, in monotonic ms; null while it does not. */
  planFailingSince: number | null;
  readonly targets: readonly Target[];
  readonly confirmations: BatchPollStates;
}

/** Notes in the ledger what planning waits for; an earlier run may have left a note. */
function createPlanNote(
  pipeline: Pipeline,
): (failed: SluiceError | null, pauseMs: number) => Promise<void> {
  let isNoted = true;
  return async (failed, pauseMs) => {
    if (failed === null && !isNoted) return;
    isNoted = failed !== null;
    await pipeline.store.soon(() => noteOrClear(pipeline, 'plan', failed, pauseMs));
  };
}

/** Plans for each target. Returns the last error that stops planning; null when there is none. */
async function planAll(
  pipeline: Pipeline,
  targets: readonly Target[],
  listed: ListedBatches,
): Promise<SluiceError | null> {
  const watched = new Set(
    targets.filter(({ watchId }) => watchId !== null).map((target) => target.destinationId),
  );
  let failed: SluiceError | null = null;
  for (const target of targets) {
    const error = await plan(pipeline, target, listed, watched.has(target.destinationId));
    if (error === null || error.code === 'batch.conflict') continue;
    failed = error;
    if (!waitsForOthers(error)) pipeline.wait(error, 'ask');
  }
  return failed;
}

/**
 * The pause of planning, in ms. While planning only waits for files of others, the pause stays short, because that wait ends at a known
 * time.
 */
function pauseAfter(pipeline: Pipeline, failed: SluiceError | null, failingMs: number): number {
  const pause = backoffSince(pipeline, failingMs, failed);
  const isAwaited = failed !== null && waitsForOthers(failed);
  return isAwaited ? Math.min(pause, pipeline.times.confirmMaxMs) : pause;
}

/** Creates the steps. `state` is read each time a step runs. */
export function laneSteps(
  pipeline: Pipeline,
  state: StepState,
): Record<'identify' | 'plan' | 'confirm' | 'retry', Step> {
  const { store, ports, gate, time } = pipeline;
  const { clock } = ports;
  const listed = new ListedBatches();
  const looked: CountsSeen = new Map();
  const instants = (): { engine: number; wall: number } => ({
    engine: time.now(),
    wall: clock.now(),
  });
  // Counted from the start of the step: work that became due while it ran was not part of it, and must not wait for the tick.
  const untilDue = (before: { engine: number; wall: number }): number | null => {
    const next = nextDueIn(store, before);
    if (next === null) return null;
    return Math.max(LEAST_PAUSE_MS, next - (time.now() - before.engine));
  };
  /** Ms until the service may be asked again; null while it may. */
  const untilOpen = (): number | null => {
    const blocked = gate.blocked('ask');
    return blocked === null ? null : Math.max(LEAST_PAUSE_MS, blocked.nextAt - clock.monotonicMs());
  };
  const notePlan = createPlanNote(pipeline);
  const chooserOf: ChooserOf = (destinationId) =>
    state.targets.find((target) => target.destinationId === destinationId)?.chooseBase ?? null;
  return {
    identify: async () => {
      const before = instants();
      return (await identifyAgain(pipeline, chooserOf)) ? 0 : untilDue(before);
    },
    plan: async () => {
      const closed = untilOpen();
      if (closed !== null) return closed;
      const before = instants();
      const failed = await planAll(pipeline, state.targets, listed);
      // The end of this run ended its requests: the service did not fail.
      if (pipeline.signal.aborted) return null;
      state.planError = failed;
      const now = clock.monotonicMs();
      state.planFailingSince = failed === null ? null : (state.planFailingSince ?? now);
      const failingMs = now - (state.planFailingSince ?? now);
      const pause = pauseAfter(pipeline, failed, failingMs);
      await notePlan(failed, pause);
      return failed === null ? untilDue(before) : pause;
    },
    confirm: async () => {
      const closed = untilOpen();
      if (closed !== null) return closed;
      const before = instants();
      const next = await confirm(pipeline, state.confirmations);
      const due = untilDue(before);
      if (next === null) return due;
      const pause = Math.max(5, next - clock.monotonicMs());
      return due === null ? pause : Math.min(pause, due);
    },
    retry: () => retryParked(pipeline, looked),
  };
}
