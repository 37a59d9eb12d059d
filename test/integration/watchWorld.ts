/** An engine that watches the source directory of a world in the test's own process, with times shortened. */
import { onTestFinished } from 'vitest';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import { standardRule } from '../../preload/contract/standardRule.ts';
import type { AutoJobEvent } from '../../main/engine/jobs/autoJobEvents.ts';
import { createClient, ensureConnection } from '../../main/engine/runner/connect.ts';
import { openEngine } from '../../main/engine/host/engine.ts';
import { SluiceFailure } from '../../main/engine/core/errors.ts';
import type { PipelineTimes, WatchTimes } from '../../main/engine/core/limits.ts';
import type { Log, NotifyWants } from '../../main/engine/core/ports.ts';
import {
  type ConnectionRunner,
  startConnectionRunner,
} from '../../main/engine/runner/connectionRunner.ts';
import type { Store } from '../../main/engine/store/store.ts';
import { givenPathOf } from '../../main/engine/store/tables/watches.ts';
import {
  enterWatch,
  type Watch,
  type WatchRegistry,
  watchesOf,
} from '../../main/engine/watches/registry.ts';
import type { FollowingWatch } from '../../main/engine/watches/following.ts';
import { startWatching, type Watching } from '../../main/engine/watches/watching.ts';
import { runWatches } from '../../main/engine/watches/watchRun.ts';
import { createPorts, filesWith, type Wrap, wrapped } from './ports.ts';
import { TEST_TIMES, type World } from './world.ts';

/** Times that let a watch react at once; full scans only at the start and on demand. */
const QUICK: Partial<WatchTimes> = {
  closeMs: 50,
  loopIdleMs: 100,
  loopBusyMs: 30,
  flushQuietMs: 150,
  flushOldMs: 1_000,
  pollMs: 50,
  rootCheckMs: 30,
};

export interface WatchOptions {
  readonly rule?: Partial<WatchRule>;
  readonly wraps?: readonly Wrap[];
  /** Wraps the engine's ledger. */
  readonly wrapStore?: (store: Store) => Store;
  readonly pollOnly?: boolean;
  readonly times?: Partial<WatchTimes>;
  readonly runnerTimes?: Partial<PipelineTimes>;
}

export interface WatchedWorld {
  readonly store: Store;
  readonly running: ConnectionRunner;
  readonly watching: Watching;
  readonly watch: Watch;
  readonly news: readonly AutoJobEvent[];
  /** Every event of the log since the start. */
  readonly logged: readonly string[];
  following(): FollowingWatch;
  /** The state of the newest item of each file, with its reason if any; by name within the source. */
  states(): Readonly<Record<string, string>>;
  /** Resolves when the condition holds; the test's own time limit applies. */
  until(condition: () => boolean): Promise<void>;
  /** Holds back new uploads, or lets them continue. */
  hold(held: boolean): void;
  /** Runs until everything found is at rest and every job is done, or until the signal. */
  once(signal?: AbortSignal): ReturnType<typeof runWatches>;
  stop(): Promise<void>;
}

const LOOK_MS = 10;

/** The rule for a world's source, overridden by what a test gives: a fixed batch, one second settle time. */
export function ruleOf(world: World, given: Partial<WatchRule> = {}): WatchRule {
  return { ...standardRule(world.local.root, 'line'), batch: 'line', settleMs: 1_000, ...given };
}

/** Resolves when the condition holds; the test's own time limit applies. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Passes hints through a function, which maps the original `wants` to others. */
export function hintsThrough(change: (wants: NotifyWants) => NotifyWants): Wrap {
  return filesWith((files) => ({
    notify: (directory, wants) => files.notify(directory, change(wants)),
  }));
}

export function countingListeners(): { readonly wrap: Wrap; open(): number } {
  let open = 0;
  const wrap = filesWith((files) => ({
    notify: (directory, wants) => {
      const notifying = files.notify(directory, wants);
      open += 1;
      return {
        ...notifying,
        close: async () => {
          await notifying.close();
          open -= 1;
        },
      };
    },
  }));
  return { wrap, open: () => open };
}

export function countingReads(counts: { inspected: number; hashed: number; opened: number }): Wrap {
  return filesWith((files) => ({
    inspect: (paths, kind) => {
      counts.inspected += paths.length;
      return files.inspect(paths, kind);
    },
    hash: (path, kind) => {
      counts.hashed += 1;
      return files.hash(path, kind);
    },
    openSources: (...given) => {
      counts.opened += 1;
      return files.openSources(...given);
    },
  }));
}

async function enter(
  { store, ports }: Pick<WatchRegistry, 'store' | 'ports'>,
  connectionId: number,
  world: World,
  options: WatchOptions,
): Promise<Watch> {
  const rule = ruleOf(world, options.rule);
  const known = watchesOf(store, connectionId).find(
    (watch) => givenPathOf(watch.rule) === rule.directory,
  );
  if (known !== undefined) return known;
  const book = { store, ports, dataDirectory: world.dataDirectory };
  const entered = await enterWatch(book, connectionId, rule);
  if (!entered.ok) throw new SluiceFailure(entered.error);
  return entered.value;
}

function statesOf(store: Store, watch: Watch): Readonly<Record<string, string>> {
  const rows = store.all(
    `SELECT relative_path, state, reason FROM items WHERE destination_id = ? ORDER BY id`,
    watch.destinationId,
  );
  return Object.fromEntries(
    rows.map((row) => {
      const reason = row['reason'] === null ? '' : ` ${String(row['reason'])}`;
      return [String(row['relative_path']), `${String(row['state'])}${reason}`];
    }),
  );
}

/** Acquires a world's data directory and starts to watch its source; a second call continues the same watch. */
export async function watchWorld(world: World, options: WatchOptions = {}): Promise<WatchedWorld> {
  const logged: string[] = [];
  const log: Log = { write: (_, event) => logged.push(event) };
  const plain = createPorts(log, false);
  const ports = wrapped(plain, options.wraps ?? []);
  const opened = openEngine(world.dataDirectory, 'test', ports);
  if (!opened.ok) throw new SluiceFailure(opened.error);
  const engine = opened.value;
  const store = options.wrapStore?.(engine.store) ?? engine.store;
  const { service } = world;
  const connection = {
    apiUrl: service.url,
    projectsUrl: service.url,
    apiKey: service.apiKey,
    workspace: service.workspace,
  } as const;
  const connectionId = ensureConnection(store, connection);
  let isHeld = false;
  const running = startConnectionRunner({
    ports,
    store,
    connectionId,
    createClient: (watched) => createClient(watched, connection, { store, connectionId }),
    bases: null,
    isOnHold: () => isHeld,
    times: { ...TEST_TIMES, ...options.runnerTimes },
  });
  const news: AutoJobEvent[] = [];
  const watching = startWatching({
    running,
    workspace: service.workspace,
    dataDirectory: world.dataDirectory,
    notificationsUrl: () => null,
    notification: () => null,
    report: (one) => news.push(one),
    pollOnly: options.pollOnly ?? false,
    times: { ...QUICK, ...options.times },
  });
  // By a fast clock, a busy disk would seem not to answer.
  const entering = { ...ports, clock: plain.clock };
  const watch = await enter({ store, ports: entering }, connectionId, world, options);
  watching.start(watch);
  let stopped: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await watching.stop();
    await running.stop();
    engine.close();
    await plain.files.close();
    await plain.http.close();
  };
  const stop = (): Promise<void> => (stopped ??= end());
  onTestFinished(stop);
  await until(() => watching.watch(watch.id) !== null);
  const following = (): FollowingWatch => {
    const found = watching.watch(watch.id);
    if (found === null) throw new Error('the watch has ended');
    return found;
  };
  return {
    store,
    running,
    watching,
    watch,
    news,
    logged,
    following,
    states: () => statesOf(store, watch),
    until: (condition) => Promise.race([until(condition), running.broken, watching.broken]),
    hold: (held) => {
      isHeld = held;
      running.wake();
    },
    once: (signal = new AbortController().signal) =>
      runWatches(running, watching, [watch], { once: true, signal, onMoment: () => undefined }),
    stop,
  };
}

/** The same, when the first scan has ended: what comes from now on is new. */
export async function watchScanned(world: World, options?: WatchOptions): Promise<WatchedWorld> {
  const watched = await watchWorld(world, options);
  await watched.until(() => watched.following().scannedOnce());
  return watched;
}
