/** Watches in motion on a running line: each watched directory, the closing of its batches, and what follows. */
import { hostname } from 'node:os';
import type { SluiceError } from '../../preload/errorCodes.ts';
import { createClosedLoop, type LoopNews } from './closedLoop.ts';
import { TRUNCATED_GRACE_MS } from './limits.ts';
import { moveConfirmedSources } from './moveSources.ts';
import { closeBatches } from './pipeline/closing.ts';
import { identify, type Intake } from './pipeline/identify.ts';
import { startLane, type Lane } from './pipeline/lane.ts';
import type { Line } from './pipeline/line.ts';
import type { Target } from './pipeline/target.ts';
import { type RunningWatch, startWatch } from './pipeline/watch.ts';
import { batchFor, createRuleFilter, forbiddenBelow, lotPattern } from './rule.ts';
import type { RunningLine } from './runningLine.ts';
import type { Item } from './store/items.ts';
import { countInPattern, lastFoundAt, type Watch } from './store/watches.ts';

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
  /** Why a watch's files could not be taken in; null when all is well. */
  trouble(watchId: number): SluiceError | null;
  /** Rejects when a watch or a lane threw; never resolves. */
  readonly broken: Promise<never>;
  stop(): Promise<void>;
}

const CLOSE_MS = 1_000;
const LOOP_IDLE_MS = 2_000;
const LOOP_BUSY_MS = 300;
/** An unfilled shard is sent when nothing came for this long, or when its first item waits for so long. */
const FLUSH_QUIET_MS = 3_000;
const FLUSH_OLD_MS = 30_000;

interface Running {
  readonly watch: Watch;
  readonly motion: RunningWatch;
  readonly stopping: AbortController;
}

/** Chooses the batch of an item by the rule, by the instant it was found. */
function baseChooser(line: Line, watch: Watch): (item: Item) => string {
  const { rule, destinationId } = watch;
  return (item) => {
    const facts = { host: hostname(), at: item.foundAt, relativePath: item.relativePath };
    const pattern = lotPattern(rule, facts);
    const before = pattern === null ? 0 : countInPattern(line.store, destinationId, pattern);
    const lot = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, lot });
  };
}

/** True when what is queued is to go even though a shard is not full. */
function createFlush(line: Line, watch: Watch, motion: () => RunningWatch | null): () => boolean {
  let oldest: number | null = null;
  return () => {
    if (motion()?.scannedOnce() !== true) return false;
    const { clock } = line.ports;
    const last = lastFoundAt(line.store, watch.destinationId);
    const quiet = last === null || clock.now() - last >= FLUSH_QUIET_MS;
    oldest ??= clock.now();
    const old = clock.now() - oldest >= FLUSH_OLD_MS;
    if (quiet || old) oldest = null;
    return quiet || old;
  };
}

/** Puts watches on a running line. */
export function startWatching(options: WatchingOptions): Watching {
  const { running } = options;
  const { line } = running;
  const { clock } = line.ports;
  const stopping = new AbortController();
  const watches = new Map<number, Running>();
  const loop = createClosedLoop(line, options.workspace, options.notificationsUrl, options.tell);
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  broken.catch(() => undefined);

  const start = (watch: Watch): void => {
    const own = new AbortController();
    const signal = AbortSignal.any([line.signal, stopping.signal, own.signal]);
    const ownLine: Line = { ...line, signal };
    const intake: Intake = {
      destinationId: watch.destinationId,
      ignoreExpired: false,
      truncatedGraceMs: TRUNCATED_GRACE_MS,
    };
    let motion: RunningWatch | null = null;
    const others = [...watches.values()]
      .filter((other) => other.watch.id !== watch.id)
      .map(({ watch: other }) => ({ name: other.rule.name, rule: other.rule }));
    motion = startWatch(ownLine, {
      directory: watch.rule.directory,
      destinationId: watch.destinationId,
      quietMs: watch.rule.settleMs,
      leftOut: createRuleFilter(watch.rule),
      forbidden: forbiddenBelow(watch.rule, { dataDirectory: options.dataDirectory, others }),
      notBefore: watch.rule.existing ? 0 : watch.addedAt,
      identify: (found) => identify(ownLine, intake, found),
      pollOnly: options.pollOnly,
    });
    motion.done.catch(fail);
    const target: Target = {
      destinationId: watch.destinationId,
      baseId: '',
      displayName: watch.rule.displayName,
      mode: watch.rule.mode === 'auto' ? 'bulk' : watch.rule.mode,
      ignoreExpired: false,
      notification: options.notification(),
      chooseBase: baseChooser(line, watch),
      maxItems: watch.rule.seal.items,
      watchId: watch.id,
      scanned: createFlush(line, watch, () => motion),
    };
    running.addTarget(target);
    watches.set(watch.id, { watch, motion, stopping: own });
  };

  const end = async (watchId: number): Promise<void> => {
    const found = watches.get(watchId);
    if (found === undefined) return;
    watches.delete(watchId);
    running.removeTarget(found.watch.destinationId);
    found.stopping.abort();
    await found.motion.done;
  };

  const closeAll = async (): Promise<number> => {
    await Promise.resolve();
    for (const { watch, motion } of watches.values()) {
      if (motion.scannedOnce()) closeBatches(line, watch, motion.settling());
    }
    // Unfilled shards become due by the clock alone.
    line.changed('plan');
    return CLOSE_MS;
  };
  const follow = async (): Promise<number> => {
    const busy = await loop.round();
    for (const { watch } of watches.values()) await moveConfirmedSources(line, watch);
    return busy ? LOOP_BUSY_MS : LOOP_IDLE_MS;
  };
  const signal = AbortSignal.any([line.signal, stopping.signal]);
  const lanes: readonly Lane[] = [
    startLane(clock, signal, closeAll),
    startLane(clock, signal, follow),
  ];
  for (const lane of lanes) lane.done.catch(fail);

  return {
    start: (watch) => {
      if (watches.has(watch.id)) void end(watch.id).then(() => start(watch));
      else start(watch);
    },
    end,
    watch: (id) => watches.get(id)?.motion ?? null,
    hint: () => {
      loop.hint();
      lanes[1]?.wake();
    },
    trouble: () => running.hindrance(),
    broken,
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([
        ...[...watches.values()].map(({ motion }) => motion.done),
        ...lanes.map((lane) => lane.done),
      ]);
    },
  };
}
