/**
 * The engine as a program that stays: a data directory with every connection that has a key at work on it, its watches,
 * one-off uploads and downloads. What the command line writes beside it is noticed.
 */
import type { Result, SluiceError } from '../../../preload/contract/errors.ts';
import { drop } from '../core/drop.ts';
import { type Engine, openEngine } from './engine.ts';
import { errorOf } from '../core/errorOf.ts';
import { fail, ok } from '../core/errors.ts';
import { createLineKeeper, type LineKeeper } from './connectionKeeper.ts';
import type { Ports } from '../core/ports.ts';
import { type LedgerConnection, ledgerConnections, selectedConnection } from './connections.ts';
import { createStationDownloads, type StationDownloads } from '../jobs/activeDownloads.ts';
import { rescanLines } from './hostConnection.ts';
import { isPaused, pauseAll } from '../runner/liveSettings.ts';
import { applyPause } from './pause.ts';
import { createNewsFinder, type NewsFinder, type StationNews } from './events.ts';
import { createStationReceiver, type StationReceiver } from '../webhooks/receiverFromSettings.ts';
import { type EngineSettings, readEngineSettings } from '../settings/engineSettings.ts';
import { createThroughput, type Throughput } from './throughput.ts';
import type { Store } from '../store/store.ts';
import { makeWorkingLine, type WorkingLine } from './workingConnection.ts';

export type { WorkingLine } from './workingConnection.ts';

export interface Station {
  readonly engine: Engine;
  readonly store: Store;
  readonly ports: Ports;
  readonly dataDirectory: string;
  readonly downloads: StationDownloads;
  readonly receiver: StationReceiver;
  readonly throughput: Throughput;
  /** Aborts when the station stops. */
  readonly signal: AbortSignal;
  settings(): EngineSettings;
  connections(): readonly LedgerConnection[];
  selected(): LedgerConnection | null;
  /** The connection at work; null while it has no key. */
  line(connectionId: number): WorkingLine | null;
  /** The selected connection at work. Error: usage.invalid without one, auth.rejected without its key. */
  working(): Result<WorkingLine>;
  /** Puts a connection to work with its key, anew when it works already. */
  start(connectionId: number, apiKey: string): Promise<void>;
  /** Takes a connection off. */
  end(connectionId: number): Promise<void>;
  paused(): boolean;
  pause(paused: boolean): void;
  held(): boolean;
  /** Holds everything back for now, beside what a person paused: nothing of it is kept. */
  hold(held: boolean): void;
  /** Reads settings and watches again and wakes everything. */
  reload(): void;
  /** Scans every watch now: after sleep nobody knows what was missed. */
  rescan(): void;
  /** Why the whole engine stands still: a bug or a damaged ledger; null when it does not. */
  failure(): SluiceError | null;
  /** True while anything is being sent or fetched. */
  busy(): boolean;
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const FOREIGN_EVERY = 2;

/** What the parts of a station share and change while it runs. */
interface State {
  readonly stopping: AbortController;
  settings: EngineSettings;
  paused: boolean;
  held: boolean;
  /** Why the last tick failed. */
  tickFailure: SluiceError | null;
  foreign: number;
  /** The ledger as the last tick saw it. */
  mark: string;
}

/** What everything here works with. */
interface Core {
  readonly engine: Engine;
  readonly ports: Ports;
  readonly dataDirectory: string;
  readonly state: State;
  readonly receiver: StationReceiver;
  readonly throughput: Throughput;
  readonly tell: (news: StationNews) => void;
  readonly keeper: LineKeeper<WorkingLine>;
}

function newState(store: Store): State {
  return {
    stopping: new AbortController(),
    settings: readEngineSettings(store),
    paused: isPaused(store),
    held: false,
    tickFailure: null,
    foreign: store.foreignVersion(),
    mark: '',
  };
}

function reload(core: Core): void {
  const { state, receiver, engine, keeper } = core;
  state.settings = readEngineSettings(engine.store);
  state.paused = isPaused(engine.store);
  applyPause({ ...state, lines: core.keeper.lines });
  drop(receiver.apply(state.settings));
  for (const line of keeper.lines.values()) {
    line.syncWatches();
    line.uploads.ensureTargets();
    line.running.capChanged();
    line.running.wake();
  }
}

/** What is looked at every second. */
function tick(core: Core, finder: NewsFinder, count: number): void {
  const { state, engine, ports, throughput, keeper } = core;
  const now = ports.clock.monotonicMs();
  const sent = [...keeper.lines.values()].map((line) => line.running.sentBytes());
  throughput.note(
    sent.reduce((a, b) => a + b, 0),
    now,
  );
  const mark = engine.store.changeMark();
  if (mark !== state.mark) {
    state.mark = mark;
    for (const line of keeper.lines.values()) line.uploads.ensureTargets();
  }
  for (const one of finder.look(now)) core.tell(one);
  const foreign = engine.store.foreignVersion();
  if (count % FOREIGN_EVERY !== 0 || foreign === state.foreign) return;
  state.foreign = foreign;
  reload(core);
}

async function tickUntilStopped(core: Core): Promise<void> {
  const { state, ports, engine } = core;
  const { signal } = state.stopping;
  let finder: NewsFinder | null = null;
  const guarded = (work: (found: NewsFinder) => void): void => {
    try {
      work((finder ??= createNewsFinder(engine.store)));
      state.tickFailure = null;
    } catch (thrown) {
      state.tickFailure = errorOf(thrown);
    }
  };
  // What begins to move from now on is news.
  guarded(() => undefined);
  for (let count = 1; !signal.aborted; count += 1) {
    await ports.clock.sleep(TICK_MS, signal);
    if (signal.aborted) return;
    guarded((found) => tick(core, found, count));
  }
}

function working({ keeper }: Core, chosen: LedgerConnection | null): Result<WorkingLine> {
  if (chosen === null) return fail('usage.invalid', { said: 'there is no connection yet' });
  const line = keeper.lines.get(chosen.id);
  return line === undefined ? fail('auth.rejected', { said: 'the key must be given' }) : ok(line);
}

function faceOf(core: Core, downloads: StationDownloads, ticking: Promise<void>): Station {
  const { state, engine, ports, keeper } = core;
  const { store } = engine;
  return {
    ...{ engine, store, ports, downloads },
    dataDirectory: core.dataDirectory,
    receiver: core.receiver,
    throughput: core.throughput,
    signal: state.stopping.signal,
    settings: () => state.settings,
    connections: () => ledgerConnections(store),
    selected: () => selectedConnection(store),
    line: (id) => keeper.lines.get(id) ?? null,
    working: () => working(core, selectedConnection(store)),
    start: keeper.start,
    end: keeper.end,
    paused: () => state.paused,
    pause: (paused) => {
      pauseAll(store, paused);
      state.paused = paused;
      applyPause({ ...state, lines: core.keeper.lines });
    },
    held: () => state.held,
    hold: (held) => {
      state.held = held;
      applyPause({ ...state, lines: core.keeper.lines });
    },
    reload: () => reload(core),
    rescan: () => rescanLines(keeper.lines.values(), store),
    failure: () => state.tickFailure ?? keeper.failure(),
    busy: () =>
      downloads.busy() ||
      [...keeper.lines.values()].some(
        (line) => line.running.runningTransfers() > 0 || line.uploads.walking() > 0,
      ),
    stop: async () => {
      state.stopping.abort();
      await core.receiver.stop();
      await keeper.stop();
      await ticking;
      engine.close();
    },
  };
}

/**
 * Takes the data directory and begins. Nothing is sent before `start` gave a connection its key. `tell` hears what is
 * worth a notification. Errors: as openEngine.
 */
export function openStation(
  dataDirectory: string,
  ports: Ports,
  tell: (news: StationNews) => void,
): Result<Station> {
  const opened = openEngine(dataDirectory, `pid ${process.pid} (the window)`, ports);
  if (!opened.ok) return opened;
  const engine = opened.value;
  const state = newState(engine.store);
  const receiver = createStationReceiver(engine.store, ports, (hint) => {
    for (const line of keeper.lines.values()) {
      line.running.hint(hint);
      line.watching.hint();
    }
  });
  const parts = {
    engine,
    ports,
    dataDirectory,
    state,
    receiver,
    throughput: createThroughput(),
    tell,
  };
  const ground = {
    ...{ store: engine.store, ports, dataDirectory, receiver, tell },
    settings: () => state.settings,
    still: () => state.paused || state.held,
  };
  const keeper: LineKeeper<WorkingLine> = createLineKeeper({
    ...{ clock: ports.clock, log: ports.log, signal: state.stopping.signal },
    make: (id, apiKey, broke) => makeWorkingLine(ground, id, apiKey, broke),
  });
  const core: Core = { ...parts, keeper };
  const downloads = createStationDownloads((view) => {
    if (view.state !== 'done') return;
    tell({ kind: 'fetched', batchId: view.batchId, to: view.to, files: view.files, missing: 0 });
  });
  drop(receiver.apply(state.settings));
  return ok(faceOf(core, downloads, tickUntilStopped(core)));
}
