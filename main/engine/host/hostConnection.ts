/** One connection at work: its line, its watches, and whether its key is good. */
import { createClient, type Connection } from '../runner/connect.ts';
import type { LoopNews } from '../jobs/autoJobNews.ts';
import type { Ports } from '../core/ports.ts';
import { type RunningLine, startRunningLine } from '../runner/connectionRunner.ts';
import type { LedgerConnection } from './connections.ts';
import { capOf, type EngineSettings } from '../settings/engineSettings.ts';
import type { Store } from '../store/store.ts';
import { type Watch, watchesOf } from '../store/tables/watches.ts';
import { startWatching, type Watching } from '../watches/watching.ts';

export interface StationLineOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly dataDirectory: string;
  readonly row: LedgerConnection;
  readonly apiKey: string;
  readonly settings: () => EngineSettings;
  /** Address for job notifications; null: none. */
  readonly notificationsUrl: () => string | null;
  readonly notification: () => string | null;
  readonly tell: (news: LoopNews) => void;
  /** A lane threw: the line must be stopped. Called once. */
  readonly broke: (thrown: unknown) => void;
}

/** How a connection is doing. */
type LineState = 'checking' | 'ready' | 'refused' | 'unreachable';

export interface StationLine {
  readonly row: LedgerConnection;
  readonly running: RunningLine;
  readonly watching: Watching;
  state(): LineState;
  /** Starts, changes and ends watches so that they are as the ledger says. */
  syncWatches(): void;
  stop(): Promise<void>;
}

/** A silence shorter than this is no reason to alarm anybody, ms. Ours. */
const SILENCE_MS = 5_000;

function stateOf(running: RunningLine, checked: boolean, now: number): LineState {
  const code = running.hindrance()?.code ?? '';
  if (code === 'auth.rejected') return 'refused';
  const since = running.silentSince();
  const silent = since !== null && now - since > SILENCE_MS;
  if (silent || /^net(work)?\./.test(code)) return 'unreachable';
  return checked || running.everAnswered() ? 'ready' : 'checking';
}

function createWatchKeeper(store: Store, connectionId: number, watching: Watching): () => void {
  const known = new Map<number, string>();
  return () => {
    const wanted = watchesOf(store, connectionId).filter(
      (watch: Watch) => watch.state === 'active' && !watch.oneOff,
    );
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of [...known.keys()].filter((one) => !ids.has(one))) {
      known.delete(id);
      void watching.end(id);
    }
    for (const watch of wanted) {
      const rule = JSON.stringify(watch.rule);
      if (known.get(watch.id) === rule) continue;
      known.set(watch.id, rule);
      watching.start(watch);
    }
  };
}

/** Starts a connection's line with its watches. The key is checked at once; a refused one makes the line wait. */
export function startStationLine(options: StationLineOptions): StationLine {
  const { ports, store, row, apiKey, settings } = options;
  const { apiUrl, projectsUrl, workspace } = row;
  const connection: Connection = { apiUrl, projectsUrl, workspace, apiKey };
  const memory = { store, connectionId: row.id };
  const running = startRunningLine({
    ports,
    store,
    connectionId: row.id,
    createClient: (watched, observe) => createClient(watched, connection, memory, observe),
    bases: null,
    bounds: {
      least: 1,
      get most() {
        return settings().lanesMost;
      },
    },
    capBytesPerSecond: () => capOf(settings().bandwidth, ports.clock.now()),
    order: () => settings().order,
    capDownloads: true,
  });
  const watching = startWatching({
    running,
    workspace,
    dataDirectory: options.dataDirectory,
    notificationsUrl: options.notificationsUrl,
    notification: options.notification,
    tell: options.tell,
    pollOnly: false,
  });
  let checked = false;
  const check = async (): Promise<void> => {
    const answer = await running.line.client.checkKey(running.line.signal);
    if (answer.ok) checked = true;
    else if (answer.error.next === 'wait') running.line.wait(answer.error);
  };
  Promise.race([running.broken, watching.broken]).catch(options.broke);
  check().catch(options.broke);
  const syncWatches = createWatchKeeper(store, row.id, watching);
  syncWatches();
  return {
    row,
    running,
    watching,
    state: () => stateOf(running, checked, ports.clock.monotonicMs()),
    syncWatches,
    stop: async () => {
      await watching.stop();
      await running.stop();
    },
  };
}

/** Looks through every watch of these lines now, and wakes them. */
export function rescanLines(lines: Iterable<StationLine>, store: Store): void {
  for (const line of lines) {
    const watches = store.all('SELECT id FROM watches WHERE connection_id = ?', line.row.id);
    for (const { id } of watches) line.watching.watch(Number(id))?.scanNow();
    line.running.wake();
  }
}
