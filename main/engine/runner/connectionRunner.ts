/** A pipeline in motion: the lanes of one connection over an owned ledger, started together and stopped together. */
import { firstFailure, type SluiceError } from '../core/errors.ts';
import { createEngineTime } from '../evidence/engineTime.ts';
import type { Gate } from '../evidence/gate.ts';
import { createHints, type Hint, type Hints } from '../core/hints.ts';
import { LANES_MAX } from '../core/limits.ts';
import { createPipeline, gateOf } from './createPipeline.ts';
import { STANDARD_TIMES } from './pipelineTimes.ts';
import type { LaneBounds } from '../pipeline/send/adapt.ts';
import { type Bandwidth, createBandwidth } from '../pipeline/bandwidth.ts';
import { confirmNow, hintConfirm } from '../pipeline/confirm/confirm.ts';
import type { BatchPollStates } from '../pipeline/confirm/pollState.ts';
import { laneSteps } from './laneSteps.ts';
import { type Lane, startLane } from '../pipeline/lane.ts';
import type { Pipeline, PipelineTimes } from '../pipeline/context.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { createTransferLanes, type TransferLanes } from '../pipeline/send/transferLanes.ts';
import type { Ports } from '../core/ports.ts';
import { noteGate } from './upkeep.ts';
import {
  askWhetherThere,
  createProbe,
  type Reachability,
  trackReachability,
} from './reachability.ts';
import { createSentMeter, type SentMeter } from './sentMeter.ts';
import type { RequestEnd } from '../service/api/sending.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import type { Store } from '../store/store.ts';
import { recover } from './recover.ts';
import { dueAgain, dueNowAll, type TransferOrder } from '../store/queue/dueTransfers.ts';

export interface RunnerOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly connectionId: number;
  /** Makes the client; `observe` is called with the end of each request. */
  readonly createClient: (ports: Ports, observe: (sighting: RequestEnd) => void) => ServiceClient;
  /** The batch ids asked for that may be sent to; null: all. */
  readonly bases: readonly string[] | null;
  readonly times?: Partial<PipelineTimes>;
  readonly bounds?: LaneBounds;
  /** Which transfer goes first; oldest when left out. */
  readonly order?: () => TransferOrder;
  /** True while nothing new may start; asked before each start. */
  readonly heldBack?: () => boolean;
  /** The bound of everything that is sent together, bytes per second, null for none; asked twice a second. */
  readonly capBytesPerSecond?: () => number | null;
  /** Fetched files count under the same bound. */
  readonly capDownloads?: boolean;
}

export interface ConnectionRunner {
  readonly pipeline: Pipeline;
  /** Adds where found files go; its queued items are planned from now on. */
  addTarget(target: Target): void;
  /** Takes a target away that was added; another one of its destination, and what it planned, go on. */
  removeTarget(target: Target): void;
  /** The target's scan has ended, or something else changed from outside. */
  wake(): void;
  /** Why nothing moves; null when nothing blocks it. Last error of planning included. */
  blockedBy(): SluiceError | null;
  /** Monotonic instant since which it waits for that; null when it does not. */
  blockedSince(): number | null;
  /** Monotonic instant since which the service is silent; null while it answers. */
  silentSince(): number | null;
  everAnswered(): boolean;
  /** True once the service has accepted anything with this key. */
  everAccepted(): boolean;
  /** A webhook named a batch or a job: the service is asked about it now. */
  hint(hint: Hint): void;
  /** A person asks: whatever waits for its time is tried now. Nothing is skipped for it that proves what arrived. */
  tryNow(): Promise<void>;
  /** The bound of the rate is another one now. */
  capChanged(): void;
  /** Bytes of bodies handed to the network since the start. */
  sentBytes(): number;
  /** Bytes of the body of one transfer in its present try; 0 for one that does not run. */
  sentOf(transferId: number): number;
  /** Tries of transfers that failed since the start. */
  failures(): number;
  /** Transfers running now. */
  runningTransfers(): number;
  /** Rejects when a step threw: a bug or a damaged ledger. Never resolves. */
  readonly broken: Promise<never>;
  /** Breaks off what runs, keeps it resumable, and resolves when everything is written down. */
  stop(): Promise<void>;
}

const LANE_NAMES = ['identify', 'plan', 'transfer', 'confirm', 'probe', 'retry'] as const;

/** What the lanes of a pipeline share and change while it runs. */
interface State {
  planError: SluiceError | null;
  /** Monotonic instant since which planning fails; null while it does not. */
  planFailingSince: number | null;
  sentBytes: number;
  readonly sentOf: SentMeter;
  targets: readonly Target[];
  readonly lanes: Map<LaneName, Lane>;
  readonly confirmations: BatchPollStates;
  readonly hints: Hints;
  /** null: the rate has no bound. */
  readonly bandwidth: Bandwidth | null;
}

type LaneName = (typeof LANE_NAMES)[number];

function newState(options: RunnerOptions): State {
  return {
    planError: null,
    planFailingSince: null,
    sentBytes: 0,
    sentOf: createSentMeter(),
    targets: [],
    lanes: new Map(),
    confirmations: new Map(),
    hints: createHints(options.ports.clock),
    bandwidth:
      options.capBytesPerSecond === undefined
        ? null
        : createBandwidth(options.ports.clock, options.capBytesPerSecond),
  };
}

function wakeAll(state: State): void {
  for (const lane of state.lanes.values()) lane.wake();
}

/** What is done for a pipeline whose lanes run. `goOn`: something got through, so whatever waited for that may go on. */
function liveParts(
  options: RunnerOptions,
  state: State,
  gate: Gate,
  goOn: () => void,
): Partial<Pipeline> {
  const { bandwidth } = state;
  return {
    bases: options.bases,
    times: timesOf(options),
    gate,
    changed: (...steps) => {
      for (const step of steps) state.lanes.get(step)?.wake();
    },
    wait: (error, family = 'job') => {
      const before = gate.blocked(family);
      gate.failed(family, error);
      if (before === null && gate.blocked(family) !== null)
        options.ports.log.write('warn', 'pipeline.waits', { code: error.code, family });
      state.lanes.get('probe')?.wake();
    },
    reached: (family) => {
      if (gate.succeeded(family)) goOn();
    },
    waiting: (family = 'job') => gate.blocked(family)?.error ?? null,
    sentBytes: (count, { id, bytes }) => {
      state.sentBytes += count;
      state.sentOf.note(id, bytes);
    },
    hintsArrive: () => state.hints.arrive(),
    ...(bandwidth === null ? {} : { throttleUp: bandwidth.throttle }),
    ...(bandwidth === null || options.capDownloads !== true ? {} : { paceDown: bandwidth.pace }),
  };
}

function timesOf({ times }: RunnerOptions): PipelineTimes {
  return { ...STANDARD_TIMES, ...times };
}

/** What holds a pipeline back most: the connection, then sending, then reading. */
function blockedOf(gate: Gate) {
  return gate.cause('send') ?? gate.cause('ask');
}

/** The public API of a running pipeline, without its end. */
function publicApi(
  pipeline: Pipeline,
  state: State,
  transfers: TransferLanes,
  reach: Reachability,
  goOn: () => void,
): Omit<ConnectionRunner, 'broken' | 'stop'> {
  return {
    pipeline,
    addTarget: (target) => {
      state.targets = [...state.targets, target];
      pipeline.changed('plan');
    },
    removeTarget: (target) => {
      state.targets = state.targets.filter((one) => one !== target);
    },
    wake: () => wakeAll(state),
    blockedBy: () => blockedOf(pipeline.gate)?.error ?? state.planError,
    blockedSince: () => blockedOf(pipeline.gate)?.since ?? state.planFailingSince,
    silentSince: () => {
      const since = reach.silentSince();
      if (since !== null) state.lanes.get('probe')?.wake();
      return since;
    },
    everAnswered: () => reach.everAnswered(),
    everAccepted: () => reach.everAccepted(),
    hint: (hint) => {
      state.hints.note();
      if (hint.batchId !== null) hintConfirm(pipeline, state.confirmations, hint.batchId);
      pipeline.changed('confirm');
    },
    tryNow: async () => {
      const { store, connectionId, gate } = pipeline;
      const isDown = gate.connection() !== null || reach.silentSince() !== null;
      gate.tryNow();
      store.transaction(() => dueNowAll(store, connectionId, pipeline.time.now()));
      confirmNow(pipeline, state.confirmations);
      wakeAll(state);
      if (isDown) await askWhetherThere(pipeline, goOn);
    },
    capChanged: () => state.bandwidth?.changed(),
    sentBytes: () => state.sentBytes,
    sentOf: (id) => state.sentOf.of(id),
    failures: () => transfers.failures(),
    runningTransfers: () => transfers.running(),
  };
}

export function startConnectionRunner(options: RunnerOptions): ConnectionRunner {
  const { store, connectionId } = options;
  const { clock } = options.ports;
  const stopping = new AbortController();
  const state = newState(options);
  const time = createEngineTime(clock);
  const gate = gateOf(options.ports, timesOf(options));
  // What got through shows that whatever waited for the network or the service may go on.
  const goOn = (): void => {
    store.transaction(() => dueAgain(store, connectionId));
    wakeAll(state);
  };
  const reach = trackReachability(time, goOn);
  const { ports } = options;
  const client = options.createClient(ports, reach.observe);
  const signal = stopping.signal;
  const pipeline = createPipeline(
    { ports, store, client, connectionId, signal },
    { ...liveParts(options, state, gate, goOn), time },
  );
  recover(pipeline);
  const bounds = options.bounds ?? { least: 1, most: LANES_MAX };
  const transfers = createTransferLanes(
    pipeline,
    () => bounds,
    () => options.heldBack?.() ?? false,
    () => options.order?.() ?? 'oldest',
  );
  const steps = {
    ...laneSteps(pipeline, state),
    transfer: () => transfers.step(),
    probe: createProbe(pipeline, reach, goOn),
  };
  for (const name of LANE_NAMES) {
    state.lanes.set(name, startLane(clock, stopping.signal, steps[name]));
  }
  const works = [...[...state.lanes.values()].map((lane) => lane.done), noteGate(pipeline)];
  return {
    ...publicApi(pipeline, state, transfers, reach, goOn),
    broken: firstFailure([transfers.broken, ...works]),
    stop: async () => {
      stopping.abort();
      await transfers.drained();
      await Promise.allSettled(works);
    },
  };
}
