/**
 * The engine as a program that stays: a data directory with every connection that has a key at work on it, its watches,
 * one-off uploads and downloads. What the command line writes beside it is noticed.
 */
import { z } from 'zod';
import type { Result, SluiceError } from '../../preload/errorCodes.ts';
import type { LoopNews } from './closedLoop.ts';
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
import { type StationLine, startStationLine } from './stationLine.ts';
import { createNewsFinder, type StationNews } from './stationNews.ts';
import { readNote, writeNote } from './stationNotes.ts';
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
const PAUSED = 'paused';

interface State {
  readonly lines: Map<number, WorkingLine>;
  readonly keys: Map<number, string>;
  settings: EngineSettings;
  paused: boolean;
  failure: SluiceError | null;
  foreign: number;
}

function newsOf(news: LoopNews): StationNews | null {
  if (news.kind === 'ended') {
    return { kind: 'job', jobId: news.jobId, succeeded: news.succeeded, message: news.message };
  }
  if (news.kind === 'fetched') {
    return { kind: 'fetched', batchId: news.jobId, to: news.to, files: news.files };
  }
  return null;
}

/** Waits and works in turn until the signal aborts. */
async function tickUntil(
  ports: Ports,
  signal: AbortSignal,
  work: (n: number) => void,
): Promise<void> {
  for (let count = 1; !signal.aborted; count += 1) {
    await ports.clock.sleep(TICK_MS, signal);
    if (!signal.aborted) work(count);
  }
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
  const { store } = engine;
  const stopping = new AbortController();
  const state: State = {
    lines: new Map(),
    keys: new Map(),
    settings: readEngineSettings(store),
    paused: readNote(store, PAUSED, z.boolean()) ?? false,
    failure: null,
    foreign: store.foreignVersion(),
  };
  const throughput = createThroughput();
  const downloads = createStationDownloads((view) => {
    if (view.state !== 'done') return;
    tell({ kind: 'fetched', batchId: view.batchId, to: view.to, files: view.files });
  });
  const receiver = createStationReceiver(store, ports, (hint) => {
    for (const line of state.lines.values()) {
      line.running.hint(hint);
      line.watching.hint();
    }
  });
  const end = async (id: number): Promise<void> => {
    const line = state.lines.get(id);
    state.lines.delete(id);
    state.keys.delete(id);
    await line?.stop();
  };
  const broke = (id: number) => (thrown: unknown) => {
    const error = errorOf(thrown);
    const key = state.keys.get(id);
    ports.log.write('error', 'line.broke', {
      connection: id,
      code: error.code,
      said: String(error.context['said'] ?? ''),
    });
    state.failure = error;
    drop(
      end(id).then(async () => {
        // A full disk may have room again; a bug or a damaged ledger would only break once more.
        if (!error.code.startsWith('disk.') || key === undefined) return;
        await ports.clock.sleep(START_AGAIN_MS, stopping.signal);
        if (!stopping.signal.aborted) await start(id, key);
      }),
    );
  };
  const start = async (id: number, apiKey: string): Promise<void> => {
    await end(id);
    const row = ledgerConnections(store).find((one) => one.id === id);
    if (row === undefined || stopping.signal.aborted) return;
    state.failure = null;
    state.keys.set(id, apiKey);
    const line = startStationLine({
      ports,
      store,
      dataDirectory,
      row,
      apiKey,
      settings: () => state.settings,
      notificationsUrl: receiver.url,
      notification: receiver.notification,
      tell: (news) => {
        const told = newsOf(news);
        if (told !== null) tell(told);
      },
      broke: broke(id),
    });
    if (state.paused) line.running.pause();
    const uploads = startStationUploads(line.running, broke(id));
    uploads.ensureTargets();
    state.lines.set(id, { ...line, uploads });
  };
  const reload = (): void => {
    state.settings = readEngineSettings(store);
    drop(receiver.apply(state.settings));
    for (const line of state.lines.values()) {
      line.syncWatches();
      line.uploads.ensureTargets();
      line.running.capChanged();
      line.running.wake();
    }
  };
  const news = createNewsFinder(store);
  const ticking = tickUntil(ports, stopping.signal, (count) => {
    try {
      const sent = [...state.lines.values()].map((line) => line.running.sentBytes());
      throughput.note(
        sent.reduce((a, b) => a + b, 0),
        ports.clock.monotonicMs(),
      );
      for (const line of state.lines.values()) line.uploads.ensureTargets();
      for (const one of news.look(ports.clock.monotonicMs())) tell(one);
      const foreign = store.foreignVersion();
      if (count % FOREIGN_EVERY !== 0 || foreign === state.foreign) return;
      state.foreign = foreign;
      reload();
    } catch (thrown) {
      state.failure = errorOf(thrown);
    }
  });
  drop(receiver.apply(state.settings));
  const selected = (): LedgerConnection | null => selectedConnection(store);
  return ok({
    engine,
    store,
    ports,
    dataDirectory,
    downloads,
    receiver,
    throughput,
    signal: stopping.signal,
    settings: () => state.settings,
    connections: () => ledgerConnections(store),
    selected,
    line: (id) => state.lines.get(id) ?? null,
    working: () => {
      const chosen = selected();
      if (chosen === null) return fail('usage.invalid', { said: 'there is no connection yet' });
      const line = state.lines.get(chosen.id);
      return line === undefined
        ? fail('auth.rejected', { said: 'the key must be given' })
        : ok(line);
    },
    start,
    end,
    paused: () => state.paused,
    pause: (paused) => {
      state.paused = paused;
      writeNote(store, PAUSED, paused);
      for (const { running } of state.lines.values()) {
        if (paused) running.pause();
        else running.resume();
      }
    },
    reload,
    rescan: () => {
      for (const line of state.lines.values()) {
        const watches = store.all('SELECT id FROM watches WHERE connection_id = ?', line.row.id);
        for (const { id } of watches) line.watching.watch(Number(id))?.scanNow();
        line.running.wake();
      }
    },
    failure: () => state.failure,
    busy: () =>
      downloads.busy() ||
      [...state.lines.values()].some(
        (line) => line.running.runningTransfers() > 0 || line.uploads.walking() > 0,
      ),
    stop: async () => {
      stopping.abort();
      await receiver.stop();
      await Promise.all([...state.lines.keys()].map(end));
      await ticking;
      engine.close();
    },
  });
}
