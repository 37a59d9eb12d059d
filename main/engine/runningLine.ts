/** A line in motion: the lanes of one connection over an owned ledger, started together and stopped together. */
import type { SluiceError } from '../../preload/errorCodes.ts';
import { firstFailure } from './firstFailure.ts';
import { beat } from './heartbeat.ts';
import { type Bell, createHints, type Hint, type Hints } from './hints.ts';
import { LANES_MAX } from './limits.ts';
import { STANDARD_TIMES } from './lineTimes.ts';
import type { LaneBounds } from './pipeline/adapt.ts';
import { type Bandwidth, createBandwidth } from './pipeline/bandwidth.ts';
import { confirm, type ConfirmMemory, hintConfirm } from './pipeline/confirm.ts';
import { identifyAgain } from './pipeline/identify.ts';
import { type Lane, startLane, type Step } from './pipeline/lane.ts';
import type { Line, LineTimes, StepName } from './pipeline/line.ts';
import type { ListedBatches } from './pipeline/openBatch.ts';
import { plan } from './pipeline/plan.ts';
import { reconcile } from './pipeline/reconcile.ts';
import type { Target } from './pipeline/target.ts';
import { createTransferLanes, type TransferLanes } from './pipeline/transferLanes.ts';
import type { Ports } from './ports.ts';
import { createProbe } from './probe.ts';
import { type Reach, trackReach } from './reach.ts';
import { createSentMeter, type SentMeter } from './sentMeter.ts';
import type { ServiceClient } from './service/serviceClient.ts';
import type { Store } from './store/store.ts';
import { networkIsBack, nextDueAt, type TransferOrder } from './store/transferLine.ts';

export interface LineOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly connectionId: number;
  /** Makes the client over a port that is watched for signs of life. */
  readonly createClient: (ports: Ports) => ServiceClient;
  /** The batch ids asked for that may be sent to; null: all. */
  readonly bases: readonly string[] | null;
  readonly times?: Partial<LineTimes>;
  readonly bounds?: LaneBounds;
  /** Which transfer goes first; oldest when left out. */
  readonly order?: () => TransferOrder;
  /** True while somebody outside wants nothing new to start; asked before each start. */
  readonly heldBack?: () => boolean;
  /** The bound of everything that is sent together, bytes per second, null for none; asked twice a second. */
  readonly capBytesPerSecond?: () => number | null;
  /** Fetched files count under the same bound. */
  readonly capDownloads?: boolean;
}

export interface RunningLine {
  readonly line: Line;
  /** Adds where found files go; its queued items are planned from now on. */
  addTarget(target: Target): void;
  /** Takes a destination's target away; what it planned goes on. */
  removeTarget(destinationId: number): void;
  /** The target's scan has ended, or something else changed from outside. */
  wake(): void;
  pause(): void;
  resume(): void;
  paused(): boolean;
  /** Why nothing moves; null when nothing hinders it. Last error of planning included. */
  hindrance(): SluiceError | null;
  /** Monotonic instant since which the service is silent; null while it answers. */
  silentSince(): number | null;
  everAnswered(): boolean;
  /** A webhook told of a batch or a job: the service is asked about it now. */
  hint(hint: Hint): void;
  /** Waiting for news of a job that hints end. */
  bellFor(jobId: string): Bell;
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

const RETRY_PLAN_MS = 2_000;
/** The shortest pause of a lane that waits for an instant. */
const LEAST_PAUSE_MS = 20;
const LANE_NAMES = ['identify', 'plan', 'transfer', 'reconcile', 'confirm', 'probe'] as const;

/** What the lanes of a line share and change while it runs. */
interface State {
  waiting: SluiceError | null;
  planError: SluiceError | null;
  paused: boolean;
  sentBytes: number;
  readonly sentOf: SentMeter;
  targets: readonly Target[];
  readonly lanes: Map<LaneName, Lane>;
  readonly confirmations: ConfirmMemory;
  readonly hints: Hints;
  /** null: the rate has no bound. */
  readonly bandwidth: Bandwidth | null;
}

type LaneName = (typeof LANE_NAMES)[number] | StepName;

function newState(options: LineOptions): State {
  return {
    waiting: null,
    planError: null,
    paused: false,
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

function createLine(
  options: LineOptions,
  ports: Ports,
  client: ServiceClient,
  state: State,
  signal: AbortSignal,
): Line {
  return {
    ports,
    store: options.store,
    client,
    connectionId: options.connectionId,
    bases: options.bases,
    times: { ...STANDARD_TIMES, ...options.times },
    signal,
    changed: (...steps) => {
      for (const step of steps) state.lanes.get(step)?.wake();
    },
    wait: (error) => {
      if (state.waiting === null) ports.log.write('warn', 'line.waits', { code: error.code });
      state.waiting = error;
      state.lanes.get('probe')?.wake();
    },
    waiting: () => state.waiting,
    sentBytes: (count, { id, bytes }) => {
      state.sentBytes += count;
      state.sentOf.note(id, bytes);
    },
    hintsArrive: () => state.hints.arrive(),
    ...(state.bandwidth === null ? {} : { paceUp: state.bandwidth.pace }),
    ...(state.bandwidth === null || options.capDownloads !== true
      ? {}
      : { paceDown: state.bandwidth.pace }),
  };
}

/** The steps that need nothing but the line, as lanes run them. */
function stepsOf(
  line: Line,
  state: State,
): Record<'identify' | 'plan' | 'reconcile' | 'confirm', Step> {
  const { store, ports } = line;
  const { clock } = ports;
  const listed: ListedBatches = new Set();
  // Asked from the instant before the step on: what fell due while it ran is not in it, and must not wait for the tick.
  const untilDue = (before: number): number | null => {
    const next = nextDueAt(store, before);
    return next === null ? null : Math.max(LEAST_PAUSE_MS, next - clock.now());
  };
  return {
    identify: async () => {
      const before = clock.now();
      return (await identifyAgain(line)) ? 0 : untilDue(before);
    },
    plan: async () => {
      state.planError = null;
      for (const target of state.targets) {
        const error = await plan(line, target, listed);
        if (error === null || error.next === 'park') continue;
        state.planError = error;
        if (error.next === 'wait') line.wait(error);
      }
      return state.planError === null ? null : RETRY_PLAN_MS;
    },
    reconcile: async () => {
      const before = clock.now();
      if (state.waiting === null) await reconcile(line);
      return untilDue(before);
    },
    confirm: async () => {
      if (state.waiting !== null) return null;
      const next = await confirm(line, state.confirmations);
      return next === null ? null : Math.max(5, next - clock.monotonicMs());
    },
  };
}

/** What others ask of a running line and tell it, its end aside. */
function faceOf(
  line: Line,
  state: State,
  transfers: TransferLanes,
  reach: Reach,
): Omit<RunningLine, 'broken' | 'stop'> {
  return {
    line,
    addTarget: (target) => {
      state.targets = [...state.targets, target];
      line.changed('plan');
    },
    removeTarget: (destinationId) => {
      state.targets = state.targets.filter((target) => target.destinationId !== destinationId);
    },
    wake: () => wakeAll(state),
    pause: () => {
      state.paused = true;
    },
    resume: () => {
      state.paused = false;
      wakeAll(state);
    },
    paused: () => state.paused,
    hindrance: () => state.waiting ?? state.planError,
    silentSince: () => {
      const since = reach.silentSince();
      if (since !== null) state.lanes.get('probe')?.wake();
      return since;
    },
    everAnswered: () => reach.everAnswered(),
    hint: (hint) => {
      state.hints.note(hint);
      if (hint.batchId !== null) hintConfirm(line, state.confirmations, hint.batchId);
      line.changed('confirm', 'process');
    },
    bellFor: (jobId) => state.hints.bellFor(jobId),
    capChanged: () => state.bandwidth?.changed(),
    sentBytes: () => state.sentBytes,
    sentOf: (id) => state.sentOf.of(id),
    failures: () => transfers.failures(),
    runningTransfers: () => transfers.running(),
  };
}

/** Starts the lanes of a connection. */
export function startRunningLine(options: LineOptions): RunningLine {
  const { store, connectionId } = options;
  const { clock } = options.ports;
  const stopping = new AbortController();
  const state = newState(options);
  const reach = trackReach(options.ports.http, clock, () => {
    if (state.waiting?.code.startsWith('net') === true) state.waiting = null;
    store.transaction(() => networkIsBack(store, connectionId));
    wakeAll(state);
  });
  const ports: Ports = { ...options.ports, http: reach.http };
  const line = createLine(options, ports, options.createClient(ports), state, stopping.signal);
  const bounds = options.bounds ?? { least: 1, most: LANES_MAX };
  const transfers = createTransferLanes(
    line,
    () => bounds,
    () => state.paused || (options.heldBack?.() ?? false),
    () => options.order?.() ?? 'oldest',
  );
  const steps = {
    ...stepsOf(line, state),
    transfer: () => transfers.step(),
    probe: createProbe(line, reach, () => {
      state.waiting = null;
      wakeAll(state);
    }),
  };
  for (const name of LANE_NAMES) {
    state.lanes.set(name, startLane(clock, stopping.signal, steps[name]));
  }
  const works = [
    ...[...state.lanes.values()].map((lane) => lane.done),
    beat(store, clock, stopping.signal),
  ];
  return {
    ...faceOf(line, state, transfers, reach),
    broken: firstFailure([transfers.broken, ...works]),
    stop: async () => {
      stopping.abort();
      await transfers.drained();
      await Promise.allSettled(works);
    },
  };
}
