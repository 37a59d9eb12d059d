/**
 * The engine as a program that stays: a data directory with every connection that has a key at work on it, its watches,
 * one-off uploads and downloads. What the command line writes beside it is noticed.
 */
import type { Result, SluiceError } from '../../preload/errorCodes.ts';
import { drop } from './drop.ts';
import { type Engine, openEngine } from './engine.ts';
import { errorOf } from './errorOf.ts';
import { fail, ok } from './errors.ts';
import type { Ports } from './ports.ts';
import {
  type LedgerConnection,
  ledgerConnections,
  selectedConnection,
} from './stationConnections.ts';
import { createStationDownloads, type StationDownloads } from './stationDownloads.ts';
import { rescanLines, type StationLine, startStationLine } from './stationLine.ts';
import { isPaused, pauseAll } from './lineWishes.ts';
import { applyPause } from './stationPause.ts';
import { createNewsFinder, type NewsFinder, newsOf, type StationNews } from './stationNews.ts';
import { createStationReceiver, type StationReceiver } from './stationReceiver.ts';
import { type EngineSettings, readEngineSettings } from './stationSettings.ts';
import { createThroughput, type Throughput } from './stationThroughput.ts';
import { startStationUploads, type StationUploads } from './stationUploads.ts';
import type { Store } from './store/store.ts';

/** A connection at work, with its uploads. */
export interface WorkingLine extends StationLine {
  readonly uploads: StationUploads;
}

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
const START_AGAIN_MS = 10_000;

/** What the parts of a station share and change while it runs. */
interface State {
  readonly lines: Map<number, WorkingLine>;
  readonly keys: Map<number, string>;
  readonly stopping: AbortController;
  settings: EngineSettings;
  paused: boolean;
  held: boolean;
  failure: SluiceError | null;
  foreign: number;
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
}

function newState(store: Store): State {
  return {
    lines: new Map(),
    keys: new Map(),
    stopping: new AbortController(),
    settings: readEngineSettings(store),
    paused: isPaused(store),
    held: false,
    failure: null,
    foreign: store.foreignVersion(),
  };
}

async function endLine({ state }: Core, id: number): Promise<void> {
  const line = state.lines.get(id);
  state.lines.delete(id);
  state.keys.delete(id);
  await line?.stop();
}

/** Takes a line off that threw, and starts it again where that can help. */
async function mendLine(core: Core, id: number, thrown: unknown): Promise<void> {
  const { state, ports } = core;
  const error = errorOf(thrown);
  const key = state.keys.get(id);
  const said = String(error.context['said'] ?? '');
  ports.log.write('error', 'line.broke', { connection: id, code: error.code, said });
  state.failure = error;
  await endLine(core, id);
  // A full disk may have room again; a bug or a damaged ledger would only break once more.
  if (!error.code.startsWith('disk.') || key === undefined) return;
  await ports.clock.sleep(START_AGAIN_MS, state.stopping.signal);
  if (!state.stopping.signal.aborted) await startLine(core, id, key);
}

async function startLine(core: Core, id: number, apiKey: string): Promise<void> {
  const { state, ports, engine, dataDirectory, receiver } = core;
  await endLine(core, id);
  const row = ledgerConnections(engine.store).find((one) => one.id === id);
  if (row === undefined || state.stopping.signal.aborted) return;
  state.failure = null;
  state.keys.set(id, apiKey);
  let broken = false;
  const broke = (thrown: unknown): void => {
    if (broken) return;
    broken = true;
    drop(mendLine(core, id, thrown));
  };
  const line = startStationLine({
    ports,
    store: engine.store,
    dataDirectory,
    row,
    apiKey,
    settings: () => state.settings,
    notificationsUrl: receiver.url,
    notification: receiver.notification,
    tell: (news) => {
      const told = newsOf(news);
      if (told !== null) core.tell(told);
    },
    broke,
  });
  if (state.paused || state.held) line.running.pause();
  const uploads = startStationUploads(line.running, broke);
  uploads.ensureTargets();
  state.lines.set(id, { ...line, uploads });
}

function reload(core: Core): void {
  const { state, receiver, engine } = core;
  state.settings = readEngineSettings(engine.store);
  state.paused = isPaused(engine.store);
  applyPause(state);
  drop(receiver.apply(state.settings));
  for (const line of state.lines.values()) {
    line.syncWatches();
    line.uploads.ensureTargets();
    line.running.capChanged();
    line.running.wake();
  }
}

/** What is looked at every second. */
function tick(core: Core, finder: NewsFinder, count: number): void {
  const { state, engine, ports, throughput } = core;
  const now = ports.clock.monotonicMs();
  const sent = [...state.lines.values()].map((line) => line.running.sentBytes());
  throughput.note(
    sent.reduce((a, b) => a + b, 0),
    now,
  );
  for (const line of state.lines.values()) line.uploads.ensureTargets();
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
    } catch (thrown) {
      state.failure = errorOf(thrown);
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

function working({ state }: Core, chosen: LedgerConnection | null): Result<WorkingLine> {
  if (chosen === null) return fail('usage.invalid', { said: 'there is no connection yet' });
  const line = state.lines.get(chosen.id);
  return line === undefined ? fail('auth.rejected', { said: 'the key must be given' }) : ok(line);
}

function faceOf(core: Core, downloads: StationDownloads, ticking: Promise<void>): Station {
  const { state, engine, ports } = core;
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
    line: (id) => state.lines.get(id) ?? null,
    working: () => working(core, selectedConnection(store)),
    start: async (id, apiKey) => startLine(core, id, apiKey),
    end: async (id) => endLine(core, id),
    paused: () => state.paused,
    pause: (paused) => {
      pauseAll(store, paused);
      state.paused = paused;
      applyPause(state);
    },
    held: () => state.held,
    hold: (held) => {
      state.held = held;
      applyPause(state);
    },
    reload: () => reload(core),
    rescan: () => rescanLines(state.lines.values(), store),
    failure: () => state.failure,
    busy: () =>
      downloads.busy() ||
      [...state.lines.values()].some(
        (line) => line.running.runningTransfers() > 0 || line.uploads.walking() > 0,
      ),
    stop: async () => {
      state.stopping.abort();
      await core.receiver.stop();
      await Promise.all([...state.lines.keys()].map(async (id) => endLine(core, id)));
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
    for (const line of state.lines.values()) {
      line.running.hint(hint);
      line.watching.hint();
    }
  });
  const throughput = createThroughput();
  const core: Core = { engine, ports, dataDirectory, state, receiver, throughput, tell };
  const downloads = createStationDownloads((view) => {
    if (view.state !== 'done') return;
    tell({ kind: 'fetched', batchId: view.batchId, to: view.to, files: view.files });
  });
  drop(receiver.apply(state.settings));
  return ok(faceOf(core, downloads, tickUntilStopped(core)));
}
