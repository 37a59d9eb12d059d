/**
 * The engine as a long-running program: it owns a data directory and runs every connection that has a key, with its watches, one-off
 * uploads and downloads. It picks up changes that the command line writes to the ledger.
 */
import { drop, errorOf, fail, ok, type Result, type SluiceError, usage } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { type ActiveDownloads, createActiveDownloads } from '../jobs/activeDownloads.ts';
import { createLiveSettings, pauseAll } from '../runner/liveSettings.ts';
import { createSettingsReceiver } from '../webhooks/receiverFromSettings.ts';
import { type ConnectionKeeper, createConnectionKeeper } from './connectionKeeper.ts';
import { ledgerConnections, selectedConnection } from './connections.ts';
import { type Engine, openEngine } from './engine.ts';
import { createEventFinder, createRefusalFinder, type EngineEvent } from './events.ts';
import { createThroughput, type Throughput } from './throughput.ts';
import {
  type ConnectionDeps,
  jobName,
  rescanConnection,
  startWorkingConnection,
  type WorkingConnection,
  type Selection,
} from './workingConnection.ts';

const TICK_MS = 1_000;
const FOREIGN_CHECK_TICKS = 2;

interface HostState {
  readonly stopping: AbortController;
  onHold: boolean;
  tickFailure: SluiceError | null;
}

interface HostParts extends ConnectionDeps {
  readonly engine: Engine;
  readonly state: HostState;
  readonly throughput: Throughput;
  readonly keeper: ConnectionKeeper<WorkingConnection>;
}

/** To be called when a pause or hold has changed: transfers that may start now do so at once. Transfers in progress finish in any case. */
function wakeAll({ keeper }: HostParts): void {
  for (const { runner } of keeper.all()) runner.wake();
}

function reload(parts: HostParts): void {
  const { live, receiver, keeper } = parts;
  live.refresh();
  drop(receiver.apply(live.settings()));
  for (const { watching, uploads, runner } of keeper.all()) {
    watching.update();
    uploads.ensureTargets();
    runner.wake();
  }
}

/** Creates the function that runs every second. Everything that happens from now on can raise an event. */
function createTick(parts: HostParts): () => void {
  const { store, ports, throughput, keeper, onEvent } = parts;
  const findEvents = createEventFinder(store);
  const findRefusals = createRefusalFinder();
  /** Changes when another process writes to the ledger. */
  let foreignVersion = store.foreignVersion();
  let changeMark = '';
  let count = 0;
  return () => {
    const now = ports.clock.monotonicMs();
    const all = keeper.all();
    const sentBytes = all.reduce((sum, { runner }) => sum + runner.sentBytes(), 0);
    throughput.record(sentBytes, now);
    const mark = store.changeMark();
    if (mark !== changeMark) for (const { uploads } of all) uploads.ensureTargets();
    changeMark = mark;
    const refused = all.filter((one) => one.state() === 'refused');
    const refusals = findRefusals(refused.map(({ row }) => row.workspace));
    for (const event of [...findEvents(now), ...refusals]) onEvent(event);
    count += 1;
    const version = store.foreignVersion();
    if (count % FOREIGN_CHECK_TICKS !== 0 || version === foreignVersion) return;
    foreignVersion = version;
    reload(parts);
  };
}

async function tickUntilStopped(parts: HostParts): Promise<void> {
  const { state, ports } = parts;
  const { signal } = state.stopping;
  let tick: (() => void) | null = null;
  const guarded = (work: () => void): void => {
    try {
      work();
      state.tickFailure = null;
    } catch (thrown) {
      state.tickFailure = errorOf(thrown);
    }
  };
  guarded(() => (tick = createTick(parts)));
  while (!signal.aborted) {
    await ports.clock.sleep(TICK_MS, signal);
    if (!signal.aborted) guarded(() => (tick ??= createTick(parts))());
  }
}

function requireWorking({ keeper, engine }: HostParts): Result<WorkingConnection> {
  const selected = selectedConnection(engine.store);
  if (selected === null) return usage('there is no connection yet');
  const connection = keeper.get(selected.id);
  return connection === null ? fail('auth.rejected', { said: 'enter the key' }) : ok(connection);
}

function publicApi(parts: HostParts, downloads: ActiveDownloads, ticking: Promise<void>) {
  const { engine, store, ports, dataDirectory, state, live, receiver, throughput, keeper } = parts;
  return {
    engine,
    store,
    ports,
    dataDirectory,
    receiver,
    throughput,
    downloads,
    /** Aborts when the host stops. */
    signal: state.stopping.signal,
    settings: live.settings,
    cap: live.cap,
    connections: () => ledgerConnections(store),
    selected: () => selectedConnection(store),
    /** Row of the selected connection; without one, 0, which no row has. */
    selectedId: () => selectedConnection(store)?.id ?? 0,
    selection: (): Selection => {
      const connectionId = selectedConnection(store)?.id ?? 0;
      return { store, connectionId, connection: keeper.get(connectionId), now: ports.clock.now() };
    },
    workingConnection: keeper.get,
    /** The selected connection. Errors: usage.invalid without one, auth.rejected without its key. */
    requireWorking: () => requireWorking(parts),
    startConnection: keeper.start,
    stopConnection: keeper.end,
    paused: live.paused,
    /** Pauses or resumes everything; saved in the ledger. */
    setPaused: (paused: boolean) => {
      pauseAll(store, paused);
      live.refresh();
      wakeAll(parts);
    },
    onHold: () => state.onHold,
    /** Puts everything on hold for now, for example on battery; not saved. */
    setHold: (onHold: boolean) => {
      state.onHold = onHold;
      wakeAll(parts);
    },
    /** Rereads settings and watches and wakes everything. */
    reload: () => reload(parts),
    /** Scans every watch now: file events are lost while the computer sleeps. */
    rescan: () => {
      for (const connection of keeper.all()) rescanConnection(connection, store);
    },
    /** Why the whole engine stopped working: a bug or a damaged ledger; null while it works. */
    failure: () => state.tickFailure ?? keeper.failure(),
    /** True while anything is being sent or downloaded. */
    busy: () =>
      downloads.busy() ||
      keeper
        .all()
        .some(({ runner, uploads }) => runner.runningTransfers() > 0 || uploads.walking() > 0),
    stop: async () => {
      state.stopping.abort();
      await receiver.stop();
      await keeper.stop();
      await ticking;
      engine.close();
    },
  };
}

export type EngineHost = ReturnType<typeof publicApi>;

/**
 * Opens the data directory and starts the host. Nothing is sent until `startConnection` gives a connection its key. `onEvent` gets
 * what is worth a notification. Errors: as for openEngine.
 */
export function openEngineHost(
  dataDirectory: string,
  ports: Ports,
  onEvent: (event: EngineEvent) => void,
): Result<EngineHost> {
  const opened = openEngine(dataDirectory, `pid ${process.pid} (the window)`, ports);
  if (!opened.ok) return opened;
  const engine = opened.value;
  const { store } = engine;
  const state: HostState = { stopping: new AbortController(), onHold: false, tickFailure: null };
  const live = createLiveSettings(store, ports.clock);
  const receiver = createSettingsReceiver(store, ports, (hint) => {
    for (const { runner, watching } of keeper.all()) {
      runner.hint(hint);
      watching.hint();
    }
  });
  const isOnHold = (): boolean => state.onHold;
  const deps = { store, ports, dataDirectory, receiver, live, isOnHold, onEvent };
  const keeper = createConnectionKeeper<WorkingConnection>({
    clock: ports.clock,
    log: ports.log,
    signal: state.stopping.signal,
    make: (id, apiKey, onFailure) => startWorkingConnection(deps, id, apiKey, onFailure),
  });
  const parts = { ...deps, engine, state, keeper, throughput: createThroughput() };
  const downloads = createActiveDownloads((view) => {
    const { connectionId, batchId, jobId, to, files } = view;
    const name = jobId === null ? batchId : jobName(store, connectionId, jobId);
    const connectionIds = [connectionId];
    if (view.state === 'done')
      onEvent({ kind: 'fetched', connectionIds, name, to, files, missing: 0 });
  });
  drop(receiver.apply(live.settings()));
  return ok(publicApi(parts, downloads, tickUntilStopped(parts)));
}
