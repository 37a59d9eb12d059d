/** A running pipeline: the lanes of one connection over an owned ledger, started and stopped together. */
import { type StepState, laneSteps } from './laneSteps.ts';
import { drop, firstFailure } from '../core/errors.ts';
import { createEngineTime } from '../evidence/engineTime.ts';
import { Gate } from '../evidence/gate.ts';
import { createHints, type Hint, type Hints } from '../core/hints.ts';
import { type PipelineTimes, STANDARD_TIMES } from '../core/limits.ts';
import { type Changes, createChanges } from './changes.ts';
import { createPipeline } from './createPipeline.ts';
import { Bandwidth } from '../pipeline/bandwidth.ts';
import { confirmNow, hintConfirm } from '../pipeline/confirm/confirm.ts';
import { type Lane, startLane } from '../pipeline/lane.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { createTransferLanes, type TransferLanes } from '../pipeline/send/transferLanes.ts';
import type { Clock, Ports } from '../core/ports.ts';
import { createLiveSettings, type LiveSettings } from './liveSettings.ts';
import { clearOpened, noteGate } from './upkeep.ts';
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
import { dueAgain, dueNowAll } from '../store/queue/dueTransfers.ts';
import { hasUnsent } from '../store/queue/waiting.ts';

export interface RunnerOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly connectionId: number;
  /** Creates the client; `observe` is called at the end of each request. */
  readonly createClient: (ports: Ports, observe: (sighting: RequestEnd) => void) => ServiceClient;
  /** The requested batch ids that may receive files; null for all. */
  readonly bases: readonly string[] | null;
  readonly times?: Partial<PipelineTimes>;
  /** The settings that the pipeline follows; by default those of its ledger. */
  readonly live?: LiveSettings;
  /** True while nothing new may start, whatever the settings say; checked before each start. */
  readonly isOnHold?: () => boolean;
  /** True: asks whether the service is there and accepts the key, at the start and whenever no other request has shown it for a while. */
  readonly asksWhenQuiet?: boolean;
}

const LANE_NAMES = ['identify', 'plan', 'transfer', 'confirm', 'probe', 'retry'] as const;

interface State extends StepState {
  sentBytes: number;
  gotOnAt: number | null;
  readonly sentOf: SentMeter;
  targets: readonly Target[];
  readonly lanes: Map<LaneName, Lane>;
  readonly hints: Hints;
  readonly changes: Changes;
  readonly bandwidth: Bandwidth;
}

type LaneName = (typeof LANE_NAMES)[number];

function newState(clock: Clock, live: LiveSettings): State {
  return {
    planError: null,
    planFailingSince: null,
    sentBytes: 0,
    gotOnAt: null,
    sentOf: createSentMeter(),
    targets: [],
    lanes: new Map(),
    confirmations: new Map(),
    hints: createHints(clock),
    changes: createChanges(clock),
    bandwidth: new Bandwidth(clock, live.cap),
  };
}

function wakeAll(state: State): void {
  for (const lane of state.lanes.values()) lane.wake();
}

/**
 * The parts of a pipeline that only running lanes have. `goOn` is called when a request got through, so that everything that waits for this
 * may continue.
 */
function liveParts(
  options: RunnerOptions,
  state: State,
  gate: Gate,
  goOn: () => void,
): Partial<Pipeline> {
  return {
    bases: options.bases,
    times: timesOf(options),
    gate,
    changed: (...steps) => {
      for (const step of steps) state.lanes.get(step)?.wake();
      state.changes.note();
    },
    wait: (error, family = 'job') => {
      // The end of the program says nothing about the service.
      if (error.context['fault'] === 'aborted') return;
      const before = gate.blocked(family);
      gate.failed(family, error);
      if (before === null && gate.blocked(family) !== null)
        options.ports.log.write('warn', 'pipeline.waits', { code: error.code, family });
      state.lanes.get('probe')?.wake();
    },
    reached: (family) => {
      if (gate.succeeded(family)) goOn();
    },
    sentBytes: (count, { id, bytes }) => {
      const now = options.ports.clock.monotonicMs();
      state.sentBytes += count;
      if (state.sentOf.note(id, bytes, now)) state.gotOnAt = now;
    },
    hintsArrive: () => state.hints.arrive(),
    throttle: state.bandwidth,
  };
}

function timesOf({ times }: RunnerOptions): PipelineTimes {
  return { ...STANDARD_TIMES, ...times };
}

/**
 * What blocks a pipeline most: the connection, then sending, then reading. Only sending a file shows that sending works again; so once no
 * file is left to send, earlier failures of sending count as blocking nothing.
 */
function blockedOf({ gate, store, connectionId }: Pipeline) {
  const cause = gate.cause('send');
  const blocks = cause !== null && (gate.connection() !== null || hasUnsent(store, connectionId));
  return blocks ? cause : gate.cause('ask');
}

function publicApi(
  pipeline: Pipeline,
  state: State,
  transfers: TransferLanes,
  reach: Reachability,
  goOn: () => void,
) {
  return {
    pipeline,
    /** Adds a destination for found files; its queued items are planned from now on. */
    addTarget: (target: Target) => {
      state.targets = [...state.targets, target];
      pipeline.changed('plan');
    },
    /** Removes a target that was added. Another target of the same destination continues, and so does what this one already planned. */
    removeTarget: (target: Target) => {
      state.targets = state.targets.filter((one) => one !== target);
    },
    /** Call when the target's scan has ended or something else changed from outside. */
    wake: () => wakeAll(state),
    nextChange: state.changes.next,
    /** Why nothing moves, including the last error of planning; null when nothing blocks it. */
    blockedBy: () => blockedOf(pipeline)?.error ?? state.planError,
    /** When it became blocked, in monotonic ms; null when it is not. */
    blockedSince: () => blockedOf(pipeline)?.since ?? state.planFailingSince,
    failingSince: reach.failingSince,
    silentSince: reach.silentSince,
    everAnswered: reach.everAnswered,
    everAccepted: reach.everAccepted,
    /** A webhook named a batch or a job: asks the service about it now. */
    hint: (hint: Hint) => {
      state.hints.note();
      if (hint.batchId !== null) hintConfirm(pipeline, state.confirmations, hint.batchId);
      pipeline.changed('confirm');
    },
    /** Tries now everything that waits for a certain time, because a person asks. Skips no step that proves what arrived. */
    tryNow: async () => {
      const { store, connectionId, gate } = pipeline;
      const isDown = gate.connection() !== null || reach.failingSince() !== null;
      gate.tryNow();
      store.transaction(() => dueNowAll(store, connectionId, pipeline.time.now()));
      confirmNow(pipeline, state.confirmations);
      wakeAll(state);
      if (isDown) await askWhetherThere(pipeline, goOn);
    },
    /** Bytes of bodies handed to the network since the start. */
    sentBytes: () => state.sentBytes,
    /** When a long try of a transfer last made progress, in monotonic ms; null when none has. */
    gotOnAt: () => state.gotOnAt,
    /** Bytes of the body of one transfer in its current try; 0 when it is not running. */
    sentOf: state.sentOf.of,
    runningTransfers: () => transfers.running(),
  };
}

export function startConnectionRunner(options: RunnerOptions) {
  const { store, connectionId } = options;
  const { clock } = options.ports;
  const stopping = new AbortController();
  const live = options.live ?? createLiveSettings(store, clock);
  const state = newState(clock, live);
  const time = createEngineTime(clock);
  const gate = new Gate(timesOf(options), clock, options.ports.random);
  // A request got through, so everything waiting for the network or the service may continue.
  const goOn = (): void => {
    store.transaction(() => {
      dueAgain(store, connectionId);
      clearOpened(pipeline);
    });
    wakeAll(state);
  };
  const failing = (): void => state.lanes.get('probe')?.wake();
  // An answer to a request of the window shows that the service answers the pipeline, too, so the pipeline need not wait until its next
  // probe is due.
  const back = (operation: string): void => {
    goOn();
    if (operation !== 'checkKey' && gate.connection() !== null)
      drop(askWhetherThere(pipeline, goOn));
  };
  const reach = trackReachability(clock, time, { failing, back });
  const ports = { ...options.ports, http: reach.noticing(options.ports.http) };
  const client = options.createClient(ports, reach.observe);
  const signal = stopping.signal;
  const pipeline = createPipeline(
    { ports, store, client, connectionId, signal },
    { ...liveParts(options, state, gate, goOn), time },
  );
  // Before anything starts: a connection that broke for this cause is started again.
  store.checkPlace();
  recover(pipeline);
  const transfers = createTransferLanes(
    pipeline,
    () => ({ least: 1, most: live.settings().lanesMost }),
    () => live.paused() || (options.isOnHold?.() ?? false),
    () => live.settings().order,
  );
  const steps = {
    ...laneSteps(pipeline, state),
    transfer: () => transfers.step(),
    probe: createProbe(pipeline, reach, {
      asksWhenQuiet: options.asksWhenQuiet ?? false,
      onOpen: goOn,
    }),
  };
  for (const name of LANE_NAMES) {
    state.lanes.set(name, startLane(clock, stopping.signal, steps[name]));
  }
  const works = [...[...state.lanes.values()].map((lane) => lane.done), noteGate(pipeline)];
  return {
    ...publicApi(pipeline, state, transfers, reach, goOn),
    /** Rejects when a step threw: a bug or a damaged ledger. Never resolves. */
    broken: firstFailure([transfers.broken, ...works]),
    /** Interrupts what is running so that it can be resumed, and resolves when everything is saved. */
    stop: async () => {
      stopping.abort();
      await transfers.drained();
      await Promise.allSettled(works);
    },
  };
}

export type ConnectionRunner = ReturnType<typeof startConnectionRunner>;
