/** The snapshot of everything that the window always sees: bounded in size, built of the ledger and the lines at work. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { SluiceError } from '../../../preload/contract/errors.ts';
import type {
  AppSnapshot,
  ConnectionView,
  LineView,
  MovingView,
  WatchView,
} from '../../../preload/contract/snapshot.ts';
import { sluiceError } from '../core/errors.ts';
import { createPacedReading } from '../runner/cachedQuery.ts';
import { readNote } from '../settings/keyValue.ts';
import type { Station, WorkingLine } from './host.ts';
import { capOf } from '../settings/engineSettings.ts';
import { countsOf, type LedgerCounts, NO_COUNTS, readCounts } from '../status/counts.ts';
import { integer, oneOf, text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type OpenWait, openWaits, shownWaits } from '../status/waits.ts';
import { lastFoundAt, type Watch, watchesOf } from '../store/tables/watches.ts';

/** When the person last looked at what needs them; the note that `problem.read` writes. */
export const PROBLEMS_READ = 'problems.readAt';

const MOST_WATCHES = 200;
const MOST_MOVING = 20;

/** The engine's part of the snapshot. */
export type EngineSnapshot = Pick<
  AppSnapshot,
  | 'connections'
  | 'line'
  | 'watches'
  | 'waits'
  | 'problems'
  | 'jobsRunning'
  | 'jobsInNeed'
  | 'downloads'
>;

function movingOf(
  store: Store,
  connectionId: number,
  line: WorkingLine | null,
): readonly MovingView[] {
  return store
    .all(
      `SELECT transfers.id, transfers.kind, transfers.size_bytes, batches.batch_id,
         (SELECT count(*) FROM items WHERE items.transfer_id = transfers.id) AS members,
         (SELECT path FROM items WHERE items.transfer_id = transfers.id ORDER BY position LIMIT 1) AS path
       FROM transfers JOIN batches ON batches.id = transfers.batch_row
       WHERE transfers.state = 'sending' AND batches.connection_id = ? ORDER BY transfers.id LIMIT ?`,
      connectionId,
      MOST_MOVING,
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
        sentBytes: line?.running.sentOf(transferId) ?? 0,
        sizeBytes: integer(row, 'size_bytes'),
      };
    });
}

const NO_FACTS: WatchFacts = { batchId: null, lastFileAt: null };

/** What is read of a watch only when the ledger changed. */
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
  line: WorkingLine | null,
  counts: LedgerCounts,
  { batchId, lastFileAt }: WatchFacts,
): WatchView {
  const motion = line?.watching.watch(watch.id) ?? null;
  const state = watch.state === 'paused' ? 'paused' : (motion?.condition() ?? 'scanning');
  return {
    id: watch.id,
    rule: watch.rule,
    state: line === null && state !== 'paused' ? 'paused' : state,
    notice: line === null ? 'It waits for the key of the connection.' : (motion?.notice() ?? null),
    counts: counts.byDestination.get(watch.destinationId) ?? NO_COUNTS,
    settling: motion?.settling() ?? 0,
    batchId,
    lastFileAt,
  };
}

/** At the start, before the keychain has answered, nothing is known to need a key. */
function asOpening(view: WatchView, watch: Watch): WatchView {
  return { ...view, state: watch.state === 'paused' ? 'paused' : 'scanning', notice: null };
}

function connectionViews(
  station: Station,
  counts: LedgerCounts,
  opening: boolean,
): readonly ConnectionView[] {
  const selected = station.selected()?.id ?? null;
  return station.connections().map((row) => {
    const line = station.line(row.id);
    const { queued, sending } = countsOf(counts, row.id);
    return {
      id: row.id,
      name: row.workspace,
      workspace: row.workspace,
      apiUrl: row.apiUrl,
      projectsUrl: row.projectsUrl,
      state: line?.state() ?? (opening ? 'checking' : 'locked'),
      selected: row.id === selected,
      queued: queued + sending,
    };
  });
}

/** Why everything is held back for now; null when it is not. */
function held(station: Station): SluiceError | null {
  return station.held() ? sluiceError('power.battery') : null;
}

/** Whole seconds, or null when nobody can know. */
function leftMs(openBytes: number, bytesPerSecond: number): number | null {
  if (openBytes === 0 || bytesPerSecond === 0) return null;
  return Math.round(openBytes / bytesPerSecond) * 1000;
}

function lineView(station: Station, line: WorkingLine | null, counts: LedgerCounts): LineView {
  const id = station.selected()?.id ?? 0;
  const { clock } = station.ports;
  const since = line?.running.silentSince() ?? null;
  const openBytes = counts.openBytes.get(id) ?? 0;
  const rate = station.throughput.rate();
  return {
    paused: station.paused(),
    hindrance: station.failure() ?? held(station) ?? line?.running.hindrance() ?? null,
    // Whole seconds: a number that changes with every look would push a snapshot each time.
    silentMs: since === null ? 0 : Math.floor((clock.monotonicMs() - since) / 1000) * 1000,
    counts: countsOf(counts, id),
    openBytes,
    bytesPerSecond: rate,
    leftMs: leftMs(openBytes, station.throughput.steadyRate()),
    throughput: station.throughput.values(),
    capBytesPerSecond: capOf(station.settings().bandwidth, clock.now()),
    moving: movingOf(station.store, id, line),
  };
}

/** Reads the slow part of the snapshot: whatever walks over many rows. */
function readSlow(station: Station): {
  counts: LedgerCounts;
  waits: readonly OpenWait[];
  problems: AppSnapshot['problems'];
  facts: ReadonlyMap<number, WatchFacts>;
} {
  const { store } = station;
  const id = station.selected()?.id ?? 0;
  const counts = readCounts(store);
  const readAt = readNote(store, PROBLEMS_READ, z.number()) ?? 0;
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
 * Makes the reading of the engine's part. Each call costs a few milliseconds at most, however long the lists are.
 * `opening` tells that the keys of the connections are still being read.
 */
export function createSnapshotReader(
  station: Station,
  opening: () => boolean,
): () => EngineSnapshot {
  const { store, ports } = station;
  const slow = createPacedReading(store, ports.clock, () => readSlow(station));
  return () => {
    const { counts, waits, problems, facts } = slow();
    const id = station.selected()?.id ?? 0;
    const line = station.line(id);
    const watches = watchesOf(store, id).filter((watch) => !watch.oneOff);
    const viewOf = (watch: Watch): WatchView =>
      watchView(watch, line, counts, facts.get(watch.id) ?? NO_FACTS);
    const early = line === null && opening();
    const jobs = store.get(
      `SELECT coalesce(sum(state IN ('starting', 'running')), 0) AS running, coalesce(sum(state = 'parked'), 0) AS in_need
       FROM jobs WHERE connection_id = ? AND state IN ('starting', 'running', 'parked')`,
      id,
    );
    return {
      connections: connectionViews(station, counts, opening()),
      line: lineView(station, line, counts),
      watches: watches
        .slice(0, MOST_WATCHES)
        .map((watch) => (early ? asOpening(viewOf(watch), watch) : viewOf(watch))),
      waits: shownWaits(waits, ports.clock.now(), true),
      problems,
      jobsRunning: integer(jobs ?? {}, 'running'),
      jobsInNeed: integer(jobs ?? {}, 'in_need'),
      downloads: station.downloads.views(),
    };
  };
}

/** Numbers snapshots: a new number only when something changed. Pure state. */
export function createRevisions(): (
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
