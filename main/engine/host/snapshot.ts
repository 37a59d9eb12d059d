/** The engine's part of the snapshot: bounded in size, built from the ledger and the working connections. */
import { sluiceError } from '../core/errors.ts';
import type {
  AppSnapshot,
  ByteProgress,
  ConnectionView,
  DropView,
  PipelineStatus,
  WatchView,
} from '../core/model.ts';
import { redact } from '../core/redact.ts';
import { createCachedQuery } from '../runner/cachedQuery.ts';
import type { EngineHost } from './host.ts';
import type { WorkingConnection } from './workingConnection.ts';
import { isCounting, openFiles } from '../core/contract.ts';
import { type LedgerCounts, NO_ITEMS } from '../status/counts.ts';
import {
  bytesLeft,
  createProgressMeter,
  NO_PROGRESS,
  type ProgressMeter,
} from '../status/progress.ts';
import { type LedgerFacts, measured, NO_FACTS, readLedgerFacts, type Drop } from './ledgerFacts.ts';
import {
  bodyRatio,
  bytesOnWire,
  createSendingReader,
  runningTransfers,
} from './sendingTransfers.ts';
import { leftMs, limited } from './throughput.ts';
import { shownWaits } from '../status/waits.ts';
import { type Watch, watchesOf } from '../store/tables/watches.ts';

const MAX_WATCHES = 200;

/** The data from which the views of the selected connection are made. */
interface Sources {
  /** Null while the connection is not at work. */
  readonly connection: WorkingConnection | null;
  readonly areKeysPending: boolean;
  readonly ledger: LedgerFacts;
  /** The progress of a destination, including what is on the wire now. */
  readonly progressOf: (destinationId: number) => ByteProgress;
}

function watchView(
  watch: Watch,
  { connection, areKeysPending, ledger, progressOf }: Sources,
): WatchView {
  const { counts, facts } = ledger;
  const { batchId, lastFileAt } = facts.get(watch.id) ?? NO_FACTS;
  const watching = connection?.watching.watch(watch.id) ?? null;
  const notice = watching?.notice() ?? null;
  // Before its first check, a watch does not know whether its directory exists.
  const isUnknown = watching === null || (watching.condition() === 'missing' && notice === null);
  const isLocked = connection === null && !areKeysPending;
  const isPaused = watch.state === 'paused' || isLocked;
  return {
    id: watch.id,
    destinationId: watch.destinationId,
    rule: watch.rule,
    state: isPaused ? 'paused' : isUnknown ? 'scanning' : watching.condition(),
    notice: isLocked ? 'Waiting for the key of the connection.' : notice,
    counts: (counts.byDestination.get(watch.destinationId) ?? NO_ITEMS).counts,
    bytes: progressOf(watch.destinationId),
    settling: watching?.settling() ?? 0,
    batchId,
    lastFileAt,
  };
}

function connectionViews(
  host: EngineHost,
  counts: LedgerCounts,
  areKeysPending: boolean,
): readonly ConnectionView[] {
  const selected = host.selected()?.id ?? null;
  return host.connections().map((row) => {
    const connection = host.workingConnection(row.id);
    const own = (counts.byConnection.get(row.id) ?? NO_ITEMS).counts;
    return {
      id: row.id,
      workspace: row.workspace,
      // The ledger may hold an address with a key from before such addresses were refused.
      apiUrl: redact(row.apiUrl),
      projectsUrl: redact(row.projectsUrl),
      state: connection?.state() ?? (areKeysPending ? 'checking' : 'locked'),
      selected: row.id === selected,
      queued: openFiles(own),
      attention: own.attention,
    };
  });
}

function pipelineStatus(
  host: EngineHost,
  connection: WorkingConnection | null,
  { counts, sending }: LedgerFacts,
  bytes: ByteProgress,
  pausedBytes: number,
): PipelineStatus {
  const id = host.selectedId();
  const { clock } = host.ports;
  const onHold = host.onHold() ? sluiceError('power.battery') : null;
  const since = connection?.runner.silentSince() ?? null;
  const cap = host.cap();
  return {
    paused: host.paused(),
    blockedBy: host.failure() ?? onHold ?? connection?.runner.blockedBy() ?? null,
    // In whole seconds: a number that changes with every read would cause a new snapshot each time.
    silentMs: since === null ? 0 : Math.floor((clock.monotonicMs() - since) / 1000) * 1000,
    counts: (counts.byConnection.get(id) ?? NO_ITEMS).counts,
    bytes,
    bytesPerSecond: limited(host.throughput.rate(), cap),
    // Paused files are left out: how long they take depends on the person who paused them.
    leftMs: leftMs(
      Math.max(0, bytesLeft(bytes) - pausedBytes) * bodyRatio(sending),
      limited(host.throughput.steadyRate(), cap),
    ),
    throughput: host.throughput.values(),
    capBytesPerSecond: cap,
    transfers: runningTransfers(host.store, sending, sentOf(connection)),
  };
}

function sentOf(connection: WorkingConnection | null): (transferId: number) => number {
  return (id) => connection?.runner.sentOf(id) ?? 0;
}

function progressOfDestination(
  meter: ProgressMeter,
  { counts, sending }: LedgerFacts,
  connection: WorkingConnection | null,
  id: number,
): ByteProgress {
  const { unsent, sent } = (counts.byDestination.get(id) ?? NO_ITEMS).bytes;
  if (unsent + sent === 0) return NO_PROGRESS;
  const own = sending.filter(({ destinationId }) => destinationId === id);
  return meter.of(`destination:${id}`, bytesOnWire(own, sentOf(connection)));
}

function dropView(
  { destinationId, batchId, lastFileAt }: Drop,
  { connection, ledger, progressOf }: Sources,
): DropView {
  return {
    destinationId,
    batchId,
    counts: (ledger.counts.byDestination.get(destinationId) ?? NO_ITEMS).counts,
    bytes: progressOf(destinationId),
    reading: connection?.uploads.isWalking(destinationId) ?? false,
    lastFileAt,
  };
}

/**
 * Creates a reader of the engine's part. A call takes a few milliseconds at most, even with long lists.
 * `areKeysPending` is true while the keys of the connections are still being read.
 */
export function createSnapshotReader(host: EngineHost, areKeysPending: () => boolean) {
  const { store, ports } = host;
  const readSending = createSendingReader(store);
  const meter = createProgressMeter(store);
  const readCached = createCachedQuery(store, ports.clock, () => {
    const read = readLedgerFacts(host, readSending);
    meter.update(measured(read.counts));
    return read;
  });
  return () => {
    const ledger = readCached();
    const { counts, waits, problems, drops, sending } = ledger;
    const { connectionId: id, connection, now } = host.selection();
    const watches = watchesOf(store, id).filter((watch) => !watch.oneOff);
    const progressOf = (destinationId: number): ByteProgress =>
      progressOfDestination(meter, ledger, connection, destinationId);
    const pausedBytes = watches
      .filter(({ state }) => state === 'paused')
      .reduce((sum, { destinationId }) => sum + bytesLeft(progressOf(destinationId)), 0);
    const sources = { connection, areKeysPending: areKeysPending(), ledger, progressOf };
    const onWire = bytesOnWire(sending, sentOf(connection));
    const sql = `SELECT count(*) AS count FROM jobs WHERE connection_id = ? AND state IN ('starting', 'running')`;
    const jobsRunning = store.count(sql, id);
    const views = {
      watches: watches.slice(0, MAX_WATCHES).map((watch) => watchView(watch, sources)),
      drops: drops.map((one) => dropView(one, sources)),
    };
    const pipeline = pipelineStatus(
      host,
      connection,
      ledger,
      meter.of(`connection:${id}`, onWire),
      pausedBytes,
    );
    return {
      connections: connectionViews(host, counts, sources.areKeysPending),
      // How long it takes is not known before everything is found.
      pipeline: isCounting(views) ? { ...pipeline, leftMs: null } : pipeline,
      ...views,
      waits: shownWaits(waits, now, true),
      problems,
      jobsRunning,
      downloads: host.downloads.views(id),
    };
  };
}

/** Numbers snapshots: the number grows only when something has changed. */
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
