/** A working connection: its runner, its watches, its one-off uploads, and whether its key is valid. */
import { createClient } from '../runner/connect.ts';
import { type ConnectionRunner, startConnectionRunner } from '../runner/connectionRunner.ts';
import { withShortageNoted } from '../runner/openFiles.ts';
import type { Ports } from '../core/ports.ts';
import { type LedgerConnection, ledgerConnections } from './connections.ts';
import { type EngineEvent, toEngineEvent } from './events.ts';
import type { LiveSettings } from '../runner/liveSettings.ts';
import type { Store } from '../store/store.ts';
import { startPendingUploads } from '../uploads/pendingUploads.ts';
import { startWatching } from '../watches/watching.ts';
import type { SettingsReceiver } from '../webhooks/receiverFromSettings.ts';
import { jobByServiceId } from '../store/tables/jobs.ts';

/** Whether the service answers a connection; `refused`: it rejects the key. */
type ConnectionState = 'checking' | 'ready' | 'refused' | 'unreachable';

export interface ConnectionDeps {
  readonly store: Store;
  readonly ports: Ports;
  readonly dataDirectory: string;
  readonly receiver: SettingsReceiver;
  readonly live: LiveSettings;
  /** True while nothing new may be sent, whatever the settings say. */
  readonly isOnHold: () => boolean;
  readonly onEvent: (event: EngineEvent) => void;
}

/** A shorter silence is not reported as unreachable, in ms. Our choice. */
const UNREACHABLE_AFTER_MS = 5_000;

function stateOf(runner: ConnectionRunner, now: number): ConnectionState {
  const code = runner.blockedBy()?.code ?? '';
  if (code === 'auth.rejected') return 'refused';
  const since = runner.failingSince();
  // Once anything is answered, a lost connection only holds up files, until one of them has arrived, however long it takes.
  const isLost = /^net(work)?\./.test(code);
  if (since !== null && (isLost || now - since > UNREACHABLE_AFTER_MS)) return 'unreachable';
  return runner.everAnswered() ? 'ready' : 'checking';
}

export function jobName(store: Store, connectionId: number, jobId: string): string {
  return jobByServiceId(store, connectionId, jobId)?.name ?? jobId;
}

function startRunner(
  { store, live, isOnHold, ...deps }: ConnectionDeps,
  row: LedgerConnection,
  apiKey: string,
): ConnectionRunner {
  const { apiUrl, projectsUrl, workspace } = row;
  const memory = { store, connectionId: row.id };
  const ports = withShortageNoted(deps.ports, store, row.id, () => undefined);
  return startConnectionRunner({
    ports,
    store,
    connectionId: row.id,
    createClient: (watched, observe) =>
      createClient(watched, { apiUrl, projectsUrl, workspace, apiKey }, memory, observe),
    bases: null,
    // The window always shows whether the service is there and accepts the key.
    asksWhenQuiet: true,
    live,
    isOnHold,
  });
}

/**
 * Starts a connection; null when there is none with this id. The caller makes sure that it is not already running. When a lane
 * throws, `onFailure` is called, possibly more than once: the connection must then be stopped.
 */
export function startWorkingConnection(
  deps: ConnectionDeps,
  id: number,
  apiKey: string,
  onFailure: (thrown: unknown) => void,
) {
  const { store, ports, receiver } = deps;
  const row = ledgerConnections(store).find((one) => one.id === id);
  if (row === undefined) return null;
  const runner = startRunner(deps, row, apiKey);
  const watching = startWatching({
    running: runner,
    workspace: row.workspace,
    dataDirectory: deps.dataDirectory,
    notificationsUrl: receiver.url,
    notification: receiver.notification,
    report: (news) => {
      const event = toEngineEvent(news, row.id, (jobId) => jobName(store, row.id, jobId));
      if (event !== null) deps.onEvent(event);
    },
    pollOnly: false,
  });
  Promise.race([runner.broken, watching.broken]).catch(onFailure);
  watching.update();
  const uploads = startPendingUploads(runner, onFailure);
  try {
    uploads.ensureTargets();
  } catch (thrown) {
    onFailure(thrown);
  }
  return {
    row,
    runner,
    watching,
    uploads,
    state: () => stateOf(runner, ports.clock.monotonicMs()),
    stop: async () => {
      await watching.stop();
      await runner.stop();
    },
  };
}

export type WorkingConnection = NonNullable<ReturnType<typeof startWorkingConnection>>;

/** A connection in the ledger, at a time in epoch ms. */
export interface ConnectionNow {
  readonly store: Store;
  readonly connectionId: number;
  readonly now: number;
}

/** The selected connection; `connection` is null while it is not working. */
export interface Selection extends ConnectionNow {
  readonly connection: WorkingConnection | null;
}

/** Scans every watch of a connection now, and wakes its lanes. */
export function rescanConnection({ row, runner, watching }: WorkingConnection, store: Store): void {
  const ids = store.ids('SELECT id FROM watches WHERE connection_id = ?', row.id);
  for (const id of ids) watching.watch(id)?.scanNow();
  runner.wake();
}
