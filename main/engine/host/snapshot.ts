/** The engine's part of the snapshot: bounded in size, built from the ledger and the working connections. */
import { basename } from 'node:path';
import { z } from 'zod';
import { sluiceError, type SluiceError } from '../core/errors.ts';
import type {
  AppSnapshot,
  ConnectionView,
  PipelineStatus,
  RunningTransfer,
  WatchView,
} from '../core/model.ts';
import { createCachedQuery } from '../runner/cachedQuery.ts';
import { readValue } from '../settings/keyValue.ts';
import type { EngineHost } from './host.ts';
import type { WorkingConnection } from './workingConnection.ts';
import { capOf } from '../settings/engineSettings.ts';
import { countsOf, type LedgerCounts, NO_COUNTS, readCounts } from '../status/counts.ts';
import { integer, oneOf, text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type OpenWait, openWaits, shownWaits } from '../status/waits.ts';
import { lastFoundAt, type Watch, watchesOf } from '../store/tables/watches.ts';

/** Setting: when the problems were last looked at, epoch ms. `problem.read` writes it. */
export const PROBLEMS_READ = 'problems.readAt';

const MAX_WATCHES = 200;
const MAX_RUNNING_TRANSFERS = 20;

export type EngineSnapshot = Pick<
  AppSnapshot,
  | 'connections'
  | 'pipeline'
  | 'watches'
  | 'waits'
  | 'problems'
  | 'jobsRunning'
  | 'jobsInNeed'
  | 'downloads'
>;

function runningTransfers(
  store: Store,
  connectionId: number,
  connection: WorkingConnection | null,
): readonly RunningTransfer[] {
  // What a connection that does not work was sending when it ended is recovered when it starts again.
  if (connection === null) return [];
  return store
    .all(
      `SELECT transfers.id, transfers.kind, transfers.size_bytes, batches.batch_id,
         (SELECT count(*) FROM items WHERE items.transfer_id = transfers.id) AS members,
         (SELECT path FROM items WHERE items.transfer_id = transfers.id ORDER BY position LIMIT 1) AS path
       FROM transfers JOIN batches ON batches.id = transfers.batch_row
       WHERE transfers.state = 'sending' AND batches.connection_id = ? ORDER BY transfers.id LIMIT ?`,
      connectionId,
      MAX_RUNNING_TRANSFERS,
    )
    .map((row) => {
      const kind = oneOf(row, 'kind', ['image', 'video', 'shard'] as const);
      const members = integer(row, 'members');
      const single = basename(textOrNull(row, 'path') ?? '');
      const transferId = integer(row, 'id');
      return {
        transferId,
        kind,
        batchId: text(row, 'batch_id'),
        label: kind === 'shard' ? `${members} ${members === 1 ? 'image' : 'images'}` : single,
        sentBytes: connection.runner.sentOf(transferId),
        sizeBytes: integer(row, 'size_bytes'),
      };
    });
}

const NO_FACTS: WatchFacts = { batchId: null, lastFileAt: null };

/** Facts about a watch that are read only when the ledger changed. */
interface WatchFacts {
  /** The newest batch. */
  readonly batchId: string | null;
  readonly lastFileAt: number | null;
}

function watchFacts(store: Store, watch: Watch): WatchFacts {
  const row = store.get(
    'SELECT batch_id FROM batches WHERE watch_id = ? ORDER BY id DESC LIMIT 1',
    watch.id,
  );
  return {
    batchId: row === null ? null : text(row, 'batch_id'),
    lastFileAt: lastFoundAt(store, watch.destinationId),
  };
}

function watchView(
  watch: Watch,
  connection: WorkingConnection | null,
  counts: LedgerCounts,
  { batchId, lastFileAt }: WatchFacts,
): WatchView {
  const watching = connection?.watching.watch(watch.id) ?? null;
  const state = watch.state === 'paused' ? 'paused' : (watching?.condition() ?? 'scanning');
  return {
    id: watch.id,
    rule: watch.rule,
    state: connection === null && state !== 'paused' ? 'paused' : state,
    notice:
      connection === null ? 'Waiting for the key of the connection.' : (watching?.notice() ?? null),
    counts: counts.byDestination.get(watch.destinationId) ?? NO_COUNTS,
    settling: watching?.settling() ?? 0,
    batchId,
    lastFileAt,
  };
}

/** While keys are still being read at the start, a watch is not shown as waiting for one. */
function beforeKeysAreRead(view: WatchView, watch: Watch): WatchView {
  return { ...view, state: watch.state === 'paused' ? 'paused' : 'scanning', notice: null };
}

function connectionViews(
  host: EngineHost,
  counts: LedgerCounts,
  areKeysPending: boolean,
): readonly ConnectionView[] {
  const selected = host.selected()?.id ?? null;
  return host.connections().map((row) => {
    const connection = host.workingConnection(row.id);
    const { queued, sending } = countsOf(counts, row.id);
    return {
      id: row.id,
      name: row.workspace,
      workspace: row.workspace,
      apiUrl: row.apiUrl,
      projectsUrl: row.projectsUrl,
      state: connection?.state() ?? (areKeysPending ? 'checking' : 'locked'),
      selected: row.id === selected,
      queued: queued + sending,
    };
  });
}

/** Why the host is on hold; null when it is not. */
function holdReason(host: EngineHost): SluiceError | null {
  return host.onHold() ? sluiceError('power.battery') : null;
}

/** In whole seconds; null when there is nothing to send or nothing moves. */
function leftMs(openBytes: number, bytesPerSecond: number): number | null {
  if (openBytes === 0 || bytesPerSecond === 0) return null;
  return Math.round(openBytes / bytesPerSecond) * 1000;
}

function pipelineStatus(
  host: EngineHost,
  connection: WorkingConnection | null,
  counts: LedgerCounts,
): PipelineStatus {
  const id = host.selected()?.id ?? 0;
  const { clock } = host.ports;
  const since = connection?.runner.silentSince() ?? null;
  const openBytes = counts.openBytes.get(id) ?? 0;
  const rate = host.throughput.rate();
  return {
    paused: host.paused(),
    blockedBy: host.failure() ?? holdReason(host) ?? connection?.runner.blockedBy() ?? null,
    // Whole seconds: a number that changes with every read would push a snapshot each time.
    silentMs: since === null ? 0 : Math.floor((clock.monotonicMs() - since) / 1000) * 1000,
    counts: countsOf(counts, id),
    openBytes,
    bytesPerSecond: rate,
    leftMs: leftMs(openBytes, host.throughput.steadyRate()),
    throughput: host.throughput.values(),
    capBytesPerSecond: capOf(host.settings().bandwidth, clock.now()),
    transfers: runningTransfers(host.store, id, connection),
  };
}

/** Reads the slow part of the snapshot: queries over many rows. */
function readLedgerFacts(host: EngineHost): {
  counts: LedgerCounts;
  waits: readonly OpenWait[];
  problems: AppSnapshot['problems'];
  facts: ReadonlyMap<number, WatchFacts>;
} {
  const { store } = host;
  const id = host.selected()?.id ?? 0;
  const counts = readCounts(store);
  const readAt = readValue(store, PROBLEMS_READ, z.number()) ?? 0;
  const unread = store.get(
    `SELECT count(*) AS count FROM items JOIN destinations ON destinations.id = items.destination_id
     WHERE items.state = 'parked' AND items.state_at > ? AND destinations.connection_id = ?`,
    readAt,
    id,
  );
  const watches = watchesOf(store, id).filter((watch) => !watch.oneOff);
  return {
    counts,
    waits: openWaits(store, id),
    problems: { count: countsOf(counts, id).attention, unread: integer(unread ?? {}, 'count') },
    facts: new Map(watches.map((watch) => [watch.id, watchFacts(store, watch)])),
  };
}

/**
 * Makes a reader of the engine's part. A call costs a few milliseconds at most, however long the lists are.
 * `areKeysPending` is true while the keys of the connections are still being read.
 */
export function createSnapshotReader(
  host: EngineHost,
  areKeysPending: () => boolean,
): () => EngineSnapshot {
  const { store, ports } = host;
  const readCached = createCachedQuery(store, ports.clock, () => readLedgerFacts(host));
  return () => {
    const { counts, waits, problems, facts } = readCached();
    const id = host.selected()?.id ?? 0;
    const connection = host.workingConnection(id);
    const watches = watchesOf(store, id).filter((watch) => !watch.oneOff);
    const viewOf = (watch: Watch): WatchView =>
      watchView(watch, connection, counts, facts.get(watch.id) ?? NO_FACTS);
    const isEarly = connection === null && areKeysPending();
    const jobs = store.get(
      `SELECT coalesce(sum(state IN ('starting', 'running')), 0) AS running, coalesce(sum(state = 'parked'), 0) AS in_need
       FROM jobs WHERE connection_id = ? AND state IN ('starting', 'running', 'parked')`,
      id,
    );
    return {
      connections: connectionViews(host, counts, areKeysPending()),
      pipeline: pipelineStatus(host, connection, counts),
      watches: watches
        .slice(0, MAX_WATCHES)
        .map((watch) => (isEarly ? beforeKeysAreRead(viewOf(watch), watch) : viewOf(watch))),
      waits: shownWaits(waits, ports.clock.now(), true),
      problems,
      jobsRunning: integer(jobs ?? {}, 'running'),
      jobsInNeed: integer(jobs ?? {}, 'in_need'),
      downloads: host.downloads.views(),
    };
  };
}

/** Numbers snapshots: the number grows only when something changed. */
export function createRevisionCounter(): (
  parts: Omit<AppSnapshot, 'revision' | 'at'>,
  at: number,
) => { readonly snapshot: AppSnapshot; readonly changed: boolean } {
  let before = '';
  let last: AppSnapshot | null = null;
  return (parts, at) => {
    const now = JSON.stringify(parts);
    if (last !== null && now === before) return { snapshot: last, changed: false };
    before = now;
    last = { ...parts, revision: (last?.revision ?? 0) + 1, at };
    return { snapshot: last, changed: true };
  };
}
