/** Watches in motion on a running line: each watched directory, the closing of its batches, and what follows. */
import { hostname } from 'node:os';
import { createClosedLoop } from './closedLoop.ts';
import { TRUNCATED_GRACE_MS } from './limits.ts';
import type { LoopNews } from './loopNews.ts';
import { moveConfirmedSources } from './moveSources.ts';
import { closeBatches } from './pipeline/closing.ts';
import { identify, type Intake } from './pipeline/identify.ts';
import { startLane } from './pipeline/lane.ts';
import type { Line } from './pipeline/line.ts';
import type { Target } from './pipeline/target.ts';
import { type RunningWatch, startWatch } from './pipeline/watch.ts';
import type { WatchTimes } from './pipeline/watchLooks.ts';
import { batchFor, createRuleFilter, forbiddenBelow, lotPattern } from './rule.ts';
import type { RunningLine } from './runningLine.ts';
import type { Item } from './store/items.ts';
import {
  countInPattern,
  lastFoundAt,
  oldestWaitingAt,
  type Watch,
  watchesOf,
} from './store/watches.ts';

/** Times that tests shorten. */
export interface WatchingTimes extends Partial<WatchTimes> {
  /** Between two looks at what is to be closed. */
  readonly closeMs: number;
  /** Between two rounds of what follows, while nothing and while something is in motion. */
  readonly loopIdleMs: number;
  readonly loopBusyMs: number;
  /** An unfilled shard is sent when nothing came for this long, or when its first item waits for so long. */
  readonly flushQuietMs: number;
  readonly flushOldMs: number;
}

export interface WatchingOptions {
  readonly running: RunningLine;
  readonly workspace: string;
  readonly dataDirectory: string;
  /** Address for job notifications; null: none. */
  readonly notificationsUrl: () => string | null;
  /** The content of the notification member of shards; null: none. */
  readonly notification: () => string | null;
  readonly tell: (news: LoopNews) => void;
  /** Lists names instead of listening to the system. */
  readonly pollOnly: boolean;
  readonly times?: Partial<WatchingTimes>;
}

export interface Watching {
  /** Starts a watch, or starts it anew with a changed rule. */
  start(watch: Watch): void;
  /** Ends a watch; what it queued goes on. */
  end(watchId: number): Promise<void>;
  /** How a watch is doing; null when it does not run. */
  watch(watchId: number): RunningWatch | null;
  /** A webhook has news. */
  hint(): void;
  /** Fetches parked result files again now: those with these ids, or all. Answers how many there are. */
  retryOutputs(ids: readonly number[] | null): number;
  /** Rejects when a watch or a lane threw; never resolves. */
  readonly broken: Promise<never>;
  stop(): Promise<void>;
}

const STANDARD_TIMES: WatchingTimes = {
  closeMs: 1_000,
  loopIdleMs: 2_000,
  loopBusyMs: 300,
  flushQuietMs: 3_000,
  flushOldMs: 30_000,
};

interface Running {
  readonly watch: Watch;
  readonly motion: RunningWatch;
  readonly stopping: AbortController;
}

/** Chooses the batch of an item by the rule, by the instant it was found. */
function baseChooser(line: Line, watch: Watch): (item: Item) => string {
  const { rule, destinationId } = watch;
  // Counted in the ledger once, and on from there: what is chosen is written by the caller.
  const counts = new Map<string, number>();
  const countOne = (pattern: string): number => {
    const before = counts.get(pattern) ?? countInPattern(line.store, destinationId, pattern);
    counts.set(pattern, before + 1);
    return before;
  };
  return (item) => {
    const facts = { host: hostname(), at: item.foundAt, relativePath: item.relativePath };
    const pattern = lotPattern(rule, facts);
    const before = pattern === null ? 0 : countOne(pattern);
    const lot = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, lot });
  };
}

/** True when what is queued is to go even though a shard is not full. Asked as often as one likes: the ledger decides. */
function createFlush(
  line: Line,
  watch: Watch,
  times: WatchingTimes,
  motion: () => RunningWatch | null,
): () => boolean {
  return () => {
    if (motion()?.scannedOnce() !== true) return false;
    const { store, ports } = line;
    const now = ports.clock.now();
    const last = lastFoundAt(store, watch.destinationId);
    // A wall clock that was set back must not hold anything up.
    const waited = (at: number | null, ms: number): boolean =>
      at === null || now - at >= ms || at > now;
    return (
      waited(last, times.flushQuietMs) ||
      waited(oldestWaitingAt(store, watch.destinationId), times.flushOldMs)
    );
  };
}

interface State {
  readonly options: WatchingOptions;
  readonly times: WatchingTimes;
  readonly watches: Map<number, Running>;
  readonly signal: AbortSignal;
  readonly fail: (error: unknown) => void;
}

function targetOf(state: State, watch: Watch, motion: () => RunningWatch | null): Target {
  const { line } = state.options.running;
  return {
    destinationId: watch.destinationId,
    baseId: '',
    displayName: watch.rule.displayName,
    mode: watch.rule.mode === 'auto' ? 'bulk' : watch.rule.mode,
    mainKind: null,
    ignoreExpired: false,
    notification: state.options.notification(),
    chooseBase: baseChooser(line, watch),
    maxItems: watch.rule.seal.items,
    hostOwn: watch.rule.batch.includes('{host}'),
    watchId: watch.id,
    scanned: createFlush(line, watch, state.times, motion),
  };
}

function startOne(state: State, watch: Watch): void {
  const { options, watches } = state;
  const { line } = options.running;
  const stopping = new AbortController();
  const ownLine: Line = { ...line, signal: AbortSignal.any([state.signal, stopping.signal]) };
  const intake: Intake = {
    destinationId: watch.destinationId,
    ignoreExpired: false,
    truncatedGraceMs: TRUNCATED_GRACE_MS,
  };
  const others = watchesOf(line.store, null).map(({ rule }) => ({ name: rule.name, rule }));
  const motion = startWatch(ownLine, {
    directory: watch.rule.directory,
    destinationId: watch.destinationId,
    quietMs: watch.rule.settleMs,
    leftOut: createRuleFilter(watch.rule),
    forbidden: forbiddenBelow(watch.rule, { dataDirectory: options.dataDirectory, others }),
    notBefore: watch.rule.existing ? 0 : watch.addedAt,
    identify: (found) => identify(ownLine, intake, found),
    pollOnly: options.pollOnly,
    times: state.times,
  });
  motion.done.catch(state.fail);
  options.running.addTarget(targetOf(state, watch, () => motion));
  watches.set(watch.id, { watch, motion, stopping });
}

async function endOne(state: State, watchId: number): Promise<void> {
  const found = state.watches.get(watchId);
  if (found === undefined) return;
  state.watches.delete(watchId);
  state.options.running.removeTarget(found.watch.destinationId);
  found.stopping.abort();
  await found.motion.done;
}

/** Puts watches on a running line. */
export function startWatching(options: WatchingOptions): Watching {
  const { line } = options.running;
  const stopping = new AbortController();
  const signal = AbortSignal.any([line.signal, stopping.signal]);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const watches = new Map<number, Running>();
  const times = { ...STANDARD_TIMES, ...options.times };
  const state: State = { options, times, watches, signal, fail: failure.reject };
  // Downloads end with the watches: they go on later where they were.
  const ownLine: Line = { ...line, signal };
  const loop = createClosedLoop(ownLine, options.workspace, options.notificationsUrl, options.tell);
  const closing = startLane(line.ports.clock, signal, async () => {
    await Promise.resolve();
    for (const { watch, motion } of watches.values()) {
      if (motion.scannedOnce()) closeBatches(line, watch, motion.settling());
    }
    // Unfilled shards become due by the clock alone.
    line.changed('plan');
    return times.closeMs;
  });
  const following = startLane(line.ports.clock, signal, async () => {
    const busy = await loop.round();
    for (const { watch } of watches.values()) await moveConfirmedSources(line, watch);
    return busy ? times.loopBusyMs : times.loopIdleMs;
  });
  for (const lane of [closing, following]) lane.done.catch(state.fail);
  return {
    start: (watch) => {
      drop(
        endOne(state, watch.id).then(() => startOne(state, watch)),
        state.fail,
      );
    },
    end: (watchId) => endOne(state, watchId),
    watch: (id) => watches.get(id)?.motion ?? null,
    hint: () => {
      loop.hint();
      following.wake();
    },
    retryOutputs: (ids) => {
      const count = loop.retryOutputs(ids);
      following.wake();
      return count;
    },
    broken: failure.promise,
    stop: async () => {
      stopping.abort();
      const works = [...watches.values()].map(({ motion }) => motion.done);
      await Promise.allSettled([...works, closing.done, following.done]);
      await loop.drained();
    },
  };
}

/** Leaves a promise to itself; what it rejects with is told. */
function drop(work: Promise<unknown>, fail: (error: unknown) => void): void {
  work.catch(fail);
}
