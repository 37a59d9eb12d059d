/** Running watches on a pipeline: each watched directory, the closing of its batches, and what follows. */
import { createAutoJobs } from '../jobs/autoJobs.ts';
import type { WatchRule } from '../core/contract.ts';
import { WATCH_TIMES, type WatchTimes } from '../core/limits.ts';
import type { AutoJobEvent } from '../jobs/autoJobEvents.ts';
import { createSerialQueue } from '../core/serialQueue.ts';
import { createSourceMover } from './moveSources.ts';
import { closeBatches, closesByItself, type ClosingMemory } from '../pipeline/plan/closing.ts';
import { identify } from '../pipeline/identify/identify.ts';
import type { BaseChooser, IdentifyOptions } from '../pipeline/identify/identifyOptions.ts';
import { type Lane, startLane } from '../pipeline/lane.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { type RunningWatch, startWatch } from '../pipeline/find/watch.ts';
import type { WatchConfig } from '../pipeline/find/checkFiles.ts';
import { createRuleFilter, forbiddenBelow } from './rule.ts';
import type { ConnectionRunner } from '../runner/connectionRunner.ts';
import { oldestWaiting, type Watch, watchById, watchesOf } from '../store/tables/watches.ts';
import { baseChooser } from './baseChooser.ts';
import { type DirectoryHooks, followPath, type FollowingWatch } from './following.ts';
import { createFlush, type Flush } from './flush.ts';
import { moveToLinked } from './registry.ts';
import { createNewSince } from './newSince.ts';
import { createSlots, type Slots } from './slots.ts';
import { watchNote, watchTarget } from './watchTarget.ts';

export interface WatchingOptions {
  readonly running: ConnectionRunner;
  readonly workspace: string;
  readonly dataDirectory: string;
  /** Address for job notifications; null for none. */
  readonly notificationsUrl: () => string | null;
  /** The content of the notification member of shards; null for none. */
  readonly notification: () => string | null;
  readonly report: (news: AutoJobEvent) => void;
  /** Lists names instead of listening to the system. */
  readonly pollOnly: boolean;
  readonly times?: Partial<WatchTimes>;
}

/** The shortest pause of a lane that waits for a certain time, in ms. */
const LEAST_PAUSE_MS = 20;

interface Running {
  readonly watch: Watch;
  readonly following: FollowingWatch;
  readonly flush: Flush;
  readonly closing: ClosingMemory;
  readonly moveSources: (last: boolean) => Promise<void>;
  /** The mark for which planning was last woken. */
  flushed: string | null;
  stop(): Promise<void>;
}

/** True when queued items must be sent even though a shard is not full. */
function isFlushDue(pipeline: Pipeline, flush: Flush, following: FollowingWatch): boolean {
  if (!following.scannedOnce()) return false;
  const due = flush.dueAt();
  return due === null || due.at <= pipeline.ports.clock.monotonicMs();
}

interface State {
  readonly options: WatchingOptions;
  readonly times: WatchTimes;
  readonly slots: Slots<Running>;
  readonly signal: AbortSignal;
  readonly fail: (error: unknown) => void;
  /** Wakes the lane that closes batches and flushes shards: the time of its next run may have changed. */
  readonly wake: () => void;
}

/** The configuration of a watch in one directory; it stops with the signal of `watchPipeline`. */
function configOf(
  state: State,
  watchPipeline: Pipeline,
  watch: Watch,
  hooks: DirectoryHooks,
  chooseBase: BaseChooser,
  flush: Flush,
): WatchConfig {
  const { store } = watchPipeline;
  const options: IdentifyOptions = {
    destinationId: watch.destinationId,
    isWatched: true,
    chooseBase,
    isWanted: () => watchById(store, watch.id) !== null,
    added: (newest) => {
      flush.arrived(newest);
      state.wake();
    },
  };
  const note = watchNote(watchPipeline, watch);
  const newSince = createNewSince(watchPipeline, watch);
  newSince.check();
  const others = watchesOf(store, null).map(({ rule }) => rule);
  const around = { dataDirectory: state.options.dataDirectory, others };
  return {
    directory: watch.rule.directory,
    destinationId: watch.destinationId,
    quietMs: watch.rule.settleMs,
    leftOut: createRuleFilter(watch.rule),
    forbidden: forbiddenBelow(watch.rule, around),
    notBefore: newSince.since,
    identify: (found, recorded) => identify(watchPipeline, { ...options, recorded }, found),
    scanned: state.wake,
    beforeRootCheck: hooks.beforeRootCheck,
    rootChecked: (isThere, changing) => {
      newSince.check();
      if (hooks.isCurrent()) note(isThere, changing);
    },
    pollOnly: state.options.pollOnly,
    times: state.times,
  };
}

function startOne(state: State, watch: Watch): Running {
  const { running } = state.options;
  const { pipeline } = running;
  const { store, ports } = pipeline;
  const stopping = new AbortController();
  const watchPipeline: Pipeline = {
    ...pipeline,
    signal: AbortSignal.any([state.signal, stopping.signal]),
  };
  const { destinationId } = watch;
  const flush = createFlush(
    () => ports.clock.monotonicMs(),
    state.times,
    () => oldestWaiting(store, destinationId),
  );
  // Shared by identifying and planning: batches that were chosen as files arrive count for later choices.
  const chooseBase = baseChooser(pipeline, destinationId, () => following.rule());
  const startIn = (rule: WatchRule, hooks: DirectoryHooks): RunningWatch => {
    const inDirectory = { ...watchPipeline, signal: hooks.signal };
    const config = configOf(state, inDirectory, { ...watch, rule }, hooks, chooseBase, flush);
    const started = startWatch(inDirectory, config);
    started.done.catch(state.fail);
    return started;
  };
  const { dataDirectory } = state.options;
  const following = followPath(
    {
      ports,
      signal: watchPipeline.signal,
      lingerMs: state.times.lingerMs,
      start: startIn,
      move: (rule, directory) =>
        moveToLinked({ store, ports, dataDirectory }, { id: watch.id, rule }, directory),
    },
    watch.rule,
  );
  const target = watchTarget(watch, state.options.notification(), chooseBase, () =>
    isFlushDue(pipeline, flush, following),
  );
  running.addTarget(target);
  return {
    watch,
    following,
    flush,
    closing: new Map(),
    moveSources: createSourceMover(watchPipeline, watch),
    flushed: null,
    stop: async () => {
      running.removeTarget(target);
      stopping.abort();
      await following.ended();
    },
  };
}

/** Wakes planning when an unfilled shard is due. Returns when to check again, in ms; null when nothing is due. */
function flushDue({ options: { running }, times }: State, watch: Running): number | null {
  const due = watch.flush.dueAt();
  if (due === null) return null;
  const pause = due.at - running.pipeline.ports.clock.monotonicMs();
  if (pause > 0) return pause;
  // Only once for each wait: items that still wait after that wait for something else.
  if (watch.flushed !== due.mark) running.pipeline.changed('plan');
  watch.flushed = due.mark;
  // Planning may open a batch, which must be checked so that it closes in time.
  return closesByItself(watch.watch.rule) ? times.closeMs : null;
}

/** Closes batches and flushes shards that are due. Returns when to do so again, in ms; null when nothing is due. */
function closeAndFlush(state: State): number | null {
  const pauses = state.slots.all().flatMap((running) => {
    const { watch, following, closing } = running;
    if (!following.scannedOnce()) return [];
    const { pipeline } = state.options.running;
    const settling = following.settling();
    const againMs = closeBatches(pipeline, watch, settling, closing, state.times.closeMs);
    return [againMs, flushDue(state, running)].filter((pause) => pause !== null);
  });
  return pauses.length === 0 ? null : Math.max(LEAST_PAUSE_MS, Math.min(...pauses));
}

/** What starts and ends watches. */
function createStarter(state: State) {
  const { slots, options } = state;
  const { store, connectionId } = options.running.pipeline;
  /** The rules with which watches were started last. */
  const started = new Map<number, string>();
  /**
   * Starts a watch, or restarts it with a changed rule once the previous one has stopped. Does nothing when it was started with
   * that rule, or followed its link and wrote the rule.
   */
  const start = (watch: Watch): void => {
    const rule = JSON.stringify(watch.rule);
    const isStarted = started.get(watch.id) === rule;
    started.set(watch.id, rule);
    const running = slots.get(watch.id)?.following.rule() ?? null;
    if (isStarted || JSON.stringify(running) === rule) return;
    slots.replace(watch.id, () => startOne(state, watch)).catch(state.fail);
  };
  /** Ends a watch; what it queued continues. Never rejects. */
  const end = (watchId: number): Promise<void> => {
    started.delete(watchId);
    return slots.replace(watchId, null);
  };
  /** Starts, changes and ends watches to match the ledger, whichever program changed it. Returns those that now run. */
  const update = (): readonly Watch[] => {
    const wanted = watchesOf(store, connectionId).filter(
      (watch) => watch.state === 'active' && !watch.oneOff,
    );
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of started.keys()) if (!ids.has(id)) void end(id);
    for (const watch of wanted) start(watch);
    return wanted;
  };
  return { start, end, update };
}

export function startWatching(options: WatchingOptions) {
  const { pipeline } = options.running;
  const stopping = new AbortController();
  const signal = AbortSignal.any([pipeline.signal, stopping.signal]);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const fail = failure.reject;
  const times = { ...WATCH_TIMES, ...options.times };
  const slots = createSlots<Running>();
  const lanes: Lane[] = [];
  const wake = (): void => lanes[0]?.wake();
  const state: State = { options, times, slots, signal, fail, wake };
  // Downloads stop with the watches and resume later where they were.
  const watchPipeline: Pipeline = { ...pipeline, signal };
  const loop = createAutoJobs(
    watchPipeline,
    options.workspace,
    options.notificationsUrl,
    options.report,
  );
  const closing = startLane(pipeline.ports.clock, signal, async () => {
    await Promise.resolve();
    return closeAndFlush(state);
  });
  const inTurn = createSerialQueue();
  const moveSources = (last: boolean): Promise<void> =>
    inTurn(async () => {
      for (const running of slots.all()) await running.moveSources(last);
    });
  const following = startLane(pipeline.ports.clock, signal, async () => {
    const busy = await loop.round();
    await moveSources(false);
    return busy ? times.loopBusyMs : times.loopIdleMs;
  });
  lanes.push(closing, following);
  for (const lane of lanes) lane.done.catch(fail);
  return {
    ...createStarter(state),
    /** The running watch; null when it does not run. */
    watch: (id: number): FollowingWatch | null => slots.get(id)?.following ?? null,
    /** Before a command ends: closes the batches that are due, and moves the files that their rules move. */
    finish: () => {
      closeAndFlush(state);
      return moveSources(true);
    },
    /** A webhook has news. */
    hint: () => {
      loop.hint();
      following.wake();
    },
    /** Ends the pauses of downloads; `withParked`: downloads parked result files again now, too. */
    retryOutputs: (withParked: boolean) => {
      loop.retryOutputs(withParked);
      following.wake();
    },
    /** Rejects when a watch or a lane threw; never resolves. */
    broken: failure.promise,
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([slots.close(), ...lanes.map(({ done }) => done)]);
      await loop.drained();
    },
  };
}

export type Watching = ReturnType<typeof startWatching>;
