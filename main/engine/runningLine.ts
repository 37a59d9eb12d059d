/** A line in motion: the lanes of one connection over an owned ledger, started together and stopped together. */
import type { SluiceError } from '../../preload/contract.ts';
import { beat } from './heartbeat.ts';
import {
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  LANES_MAX,
  LATE_COMMIT_MS,
  ORPHAN_SHARD_MS,
  RETENTION_MS,
} from './limits.ts';
import type { LaneBounds } from './pipeline/adapt.ts';
import { confirm, type ConfirmMemory } from './pipeline/confirm.ts';
import { identifyAgain } from './pipeline/identify.ts';
import { type Lane, startLane, type Step } from './pipeline/lane.ts';
import type { Line, LineTimes, StepName } from './pipeline/line.ts';
import type { ListedBatches } from './pipeline/openBatch.ts';
import { plan } from './pipeline/plan.ts';
import { reconcile } from './pipeline/reconcile.ts';
import type { Target } from './pipeline/target.ts';
import { createTransferLanes } from './pipeline/transferLanes.ts';
import type { Ports } from './ports.ts';
import { trackReach } from './reach.ts';
import type { ServiceClient } from './service/serviceClient.ts';
import type { Store } from './store/store.ts';
import { networkIsBack, nextDueAt } from './store/transfers.ts';

/** The times of a line as limits.ts states them. */
export const STANDARD_TIMES: LineTimes = {
  lateCommitMs: LATE_COMMIT_MS,
  orphanShardMs: ORPHAN_SHARD_MS,
  backoffFirstMs: BACKOFF_FIRST_MS,
  backoffMaxMs: BACKOFF_MAX_MS,
  confirmFirstMs: 80,
  confirmMaxMs: 10_000,
  retentionMs: RETENTION_MS,
};

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
}

export interface RunningLine {
  readonly line: Line;
  /** Adds where found files go; its queued items are planned from now on. */
  addTarget(target: Target): void;
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
  /** Bytes of bodies handed to the network since the start. */
  sentBytes(): number;
  /** Tries of transfers that failed since the start. */
  failures(): number;
  /** Transfers running now. */
  runningTransfers(): number;
  /** Rejects when a step threw: a bug or a damaged ledger. Never resolves. */
  readonly broken: Promise<never>;
  /** Breaks off what runs, keeps it resumable, and resolves when everything is written down. */
  stop(): Promise<void>;
}

const PROBE_FIRST_MS = 1_000;
const PROBE_MAX_MS = 15_000;
const RETRY_PLAN_MS = 2_000;

/** Starts the lanes of a connection. */
export function startRunningLine(options: LineOptions): RunningLine {
  const { store, connectionId, bases } = options;
  const { clock } = options.ports;
  const stopping = new AbortController();
  const lanes = new Map<StepName | 'probe', Lane>();
  const targets: Target[] = [];
  const listed: ListedBatches = new Set();
  const confirmations: ConfirmMemory = new Map();
  let waiting: SluiceError | null = null;
  let planError: SluiceError | null = null;
  let paused = false;
  let sentBytes = 0;

  const wakeAll = (): void => {
    for (const lane of lanes.values()) lane.wake();
  };
  const reach = trackReach(options.ports.http, clock, () => {
    if (waiting?.code.startsWith('net') === true) waiting = null;
    store.transaction(() => networkIsBack(store, connectionId));
    wakeAll();
  });
  const ports: Ports = { ...options.ports, http: reach.http };
  const client = options.createClient(ports);
  const line: Line = {
    ports,
    store,
    client,
    connectionId,
    bases,
    times: { ...STANDARD_TIMES, ...options.times },
    signal: stopping.signal,
    changed: (...steps) => {
      for (const step of steps) lanes.get(step)?.wake();
    },
    wait: (error) => {
      if (waiting === null) ports.log.write('warn', 'line.waits', { code: error.code });
      waiting = error;
      lanes.get('probe')?.wake();
    },
    waiting: () => waiting,
    sentBytes: (count) => {
      sentBytes += count;
    },
  };
  const transferLanes = createTransferLanes(
    line,
    () => options.bounds ?? { least: 1, most: LANES_MAX },
    () => paused,
  );

  const untilDue = (): number | null => {
    const next = nextDueAt(store, clock.now());
    return next === null ? null : Math.max(20, next - clock.now());
  };
  const planStep: Step = async () => {
    planError = null;
    for (const target of targets) {
      const error = await plan(line, target, listed);
      if (error === null || error.next === 'park') continue;
      planError = error;
      if (error.next === 'wait') line.wait(error);
    }
    return planError === null ? null : RETRY_PLAN_MS;
  };
  const reconcileStep: Step = async () => {
    if (waiting === null) await reconcile(line);
    return untilDue();
  };
  const confirmStep: Step = async () => {
    if (waiting !== null) return null;
    const next = await confirm(line, confirmations);
    return next === null ? null : Math.max(5, next - clock.monotonicMs());
  };
  let probePause = PROBE_FIRST_MS;
  const probeStep: Step = async () => {
    if (waiting === null && reach.silentSince() === null) {
      probePause = PROBE_FIRST_MS;
      return null;
    }
    await clock.sleep(probePause, stopping.signal);
    probePause = Math.min(PROBE_MAX_MS, probePause * 1.6);
    if (stopping.signal.aborted) return null;
    const key = await client.checkKey(stopping.signal);
    // A full disk and a quota are tried again by doing: nothing else tells that they are over.
    const mended = key.ok || (key.error.next !== 'wait' && reach.silentSince() === null);
    if (mended && waiting !== null) {
      waiting = null;
      wakeAll();
    }
    return 0;
  };

  const start = (name: StepName | 'probe', step: Step): void => {
    lanes.set(name, startLane(clock, stopping.signal, step));
  };
  start('identify', async () => ((await identifyAgain(line)) ? 0 : untilDue()));
  start('plan', planStep);
  start('transfer', () => transferLanes.step());
  start('reconcile', reconcileStep);
  start('confirm', confirmStep);
  start('probe', probeStep);
  const heartbeat = beat(store, clock, stopping.signal);
  const failures = [...lanes.values()].map((lane) => lane.done);
  const broken = Promise.race([
    transferLanes.broken,
    ...[...failures, heartbeat].map((done) =>
      done.then(() => new Promise<never>(() => undefined)),
    ),
  ]);
  broken.catch(() => undefined);

  return {
    line,
    addTarget: (target) => {
      targets.push(target);
      line.changed('plan');
    },
    wake: wakeAll,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      wakeAll();
    },
    paused: () => paused,
    hindrance: () => waiting ?? planError,
    silentSince: () => {
      const since = reach.silentSince();
      if (since !== null) lanes.get('probe')?.wake();
      return since;
    },
    everAnswered: () => reach.everAnswered(),
    sentBytes: () => sentBytes,
    failures: () => transferLanes.failures(),
    runningTransfers: () => transferLanes.running(),
    broken,
    stop: async () => {
      stopping.abort();
      await transferLanes.drained();
      await Promise.allSettled([...failures, heartbeat]);
    },
  };
}
