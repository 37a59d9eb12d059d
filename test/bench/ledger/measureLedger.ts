/**
 * Opens a large ledger like the window's engine, and runs the queries of the screens and of the engine's tick. Prints one JSON
 * object: processor milliseconds per query, the median of some runs. Arguments: the data directory, and a batch in it.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log, Ports } from '../../../main/engine/core/ports.ts';
import { createEventFinder } from '../../../main/engine/host/events.ts';
import { openEngineHost } from '../../../main/engine/host/host.ts';
import { createSnapshotReader } from '../../../main/engine/host/snapshot.ts';
import { batchDetail, createBatchPages } from '../../../main/engine/queries/batchPages.ts';
import { findFiles } from '../../../main/engine/queries/fileSearch.ts';
import { historyDays } from '../../../main/engine/queries/history.ts';
import { itemPage, type ItemQuery } from '../../../main/engine/queries/itemPages.ts';
import { createJobPages } from '../../../main/engine/queries/jobPages.ts';
import { leftOutPage } from '../../../main/engine/queries/leftOutPages.ts';
import { problemGroups } from '../../../main/engine/queries/problemPages.ts';
import { readProblems, readStatus } from '../../../main/engine/queries/overview.ts';
import { explainPath } from '../../../main/engine/queries/why.ts';
import { writeValue } from '../../../main/engine/settings/keyValue.ts';
import { metricsText } from '../../../main/engine/status/metrics.ts';
import { readWaits } from '../../../main/engine/status/waits.ts';
import { batchesAwaiting } from '../../../main/engine/store/queue/awaited.ts';
import { batchesReadyForJob } from '../../../main/engine/store/queue/closing.ts';
import { dueTransfers, nextDueIn } from '../../../main/engine/store/queue/dueTransfers.ts';
import { createFiles } from '../../../main/engine/files/nodeFiles.ts';
import { createPool } from '../../../main/engine/files/pool/threadPool.ts';
import { createNodePorts } from '../../../main/nodePorts.ts';

const RUNS = 5;
const [directory = '', batchId = ''] = process.argv.slice(2);
const log: Log = { write: () => undefined };
const workerUrl = new URL('../../../main/engine/files/pool/fileWorker.ts', import.meta.url);
const plain = createNodePorts(createFiles(createPool({ workerUrl })), log, {});
const ports: Ports = {
  ...plain,
  // Only the ledger is measured: the service never answers.
  http: {
    ...plain.http,
    request: () =>
      Promise.resolve({ kind: 'failure', fault: 'refused', maybeSent: false, detail: 'bench' }),
  },
};

type Work = () => unknown;

async function once(work: Work): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function middle(work: Work): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await once(work));
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

async function measureAll(works: Readonly<Record<string, Work>>): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [name, work] of Object.entries(works)) times[name] = await middle(work);
  return times;
}

const items = (change: Partial<ItemQuery>): Work => {
  const query = {
    batchId,
    offset: 0,
    limit: 100,
    search: '',
    state: 'all',
    sort: 'added',
  } as const;
  return () => itemPage(store, connectionId, { ...query, descending: true, ...change });
};
const outcome: { host: ReturnType<typeof openEngineHost> | null } = { host: null };
const startMs = await once(async () => {
  const opened = openEngineHost(directory, ports, () => undefined);
  if (!opened.ok) throw new Error(opened.error.code);
  outcome.host = opened;
  await opened.value.startConnection(opened.value.selected()?.id ?? 0, 'bench');
  createSnapshotReader(opened.value, () => false)();
});
if (outcome.host?.ok !== true) throw new Error('The ledger did not open.');
const host = outcome.host.value;
const { store } = host;
const connectionId = host.selected()?.id ?? 0;
const now = Date.now();
const from = { store, connectionId, connection: null, now };
const page = { offset: 0, limit: 50, search: '' };
const batches = createBatchPages();
const jobs = createJobPages();
const snapshot = createSnapshotReader(host, () => false);
const finder = createEventFinder(store);
const connection = host.workingConnection(connectionId);
const { total } = await itemPage(store, connectionId, {
  ...page,
  batchId,
  state: 'all',
  sort: 'added',
  descending: true,
});
const leftOut = { ...page, destinationId: null, batchId: null, reason: null };
let written = 0;
/** As after any write: cached results do not count. */
const changed = (work: Work): Work => {
  return () => {
    writeValue(store, 'bench', (written += 1));
    return work();
  };
};

// Wait until the engine's start-up work is over.
await delay(3000);
const ticks = await measureAll({
  events: changed(() => finder(performance.now())),
  'settings and targets': changed(() => host.reload()),
  targets: changed(() => connection?.uploads.ensureTargets()),
  'what to confirm': () => batchesAwaiting(store, connectionId, now),
  'which jobs to start': () => batchesReadyForJob(store, connectionId),
  'what to send': () =>
    dueTransfers(
      store,
      { connectionId, bases: null, ending: new Set(), order: 'oldest' },
      new Set(),
      now,
      10,
    ),
  'when to look again': () => nextDueIn(store, { engine: now, wall: now }),
});
const screens = await measureAll({
  overview: changed(() => snapshot()),
  batches: () => batches(from, page),
  'batches, searched': () => batches(from, { ...page, search: 'season-1' }),
  'a batch': () => batchDetail(from, batchId),
  'its files': items({}),
  'its files, in the middle': items({ offset: Math.floor(total / 2) }),
  'its files, the last': items({ offset: total - 100 }),
  'its files by name': items({ sort: 'name', descending: false }),
  'its files by name, in the middle': items({ sort: 'name', offset: Math.floor(total / 2) }),
  'its files by size': items({ sort: 'size' }),
  'its files by size, in the middle': items({ sort: 'size', offset: Math.floor(total / 2) }),
  'its files by state': items({ sort: 'state' }),
  'its files by state, in the middle': items({ sort: 'state', offset: Math.floor(total / 2) }),
  'its confirmed files': items({ state: 'confirmed' }),
  'its confirmed files by name': items({ state: 'confirmed', sort: 'name' }),
  'its files that need a person': items({ state: 'parked' }),
  'its files that need a person, by size': items({ state: 'parked', sort: 'size' }),
  'its files being sent': items({ state: 'sending' }),
  'its files, searched': items({ search: 'frame_0999' }),
  'its files, searched, nothing found': items({ search: 'nothing' }),
  'left out': () => leftOutPage(store, connectionId, leftOut),
  'left out, searched': () => leftOutPage(store, connectionId, { ...leftOut, search: 'nothing' }),
  'left out of a batch': () => leftOutPage(store, connectionId, { ...leftOut, batchId }),
  problems: () => problemGroups(store, connectionId),
  search: () => findFiles(store, connectionId, 'frame_0999', 20),
  'search, in the middle of names': () => findFiles(store, connectionId, 'ame_0999', 20),
  'search, nothing found': () => findFiles(store, connectionId, 'nothing', 20),
  history: () => historyDays(store, connectionId, { until: now, days: 30 }),
  jobs: () => jobs(from, page),
  why: () =>
    explainPath(store, ports.files, '/cameras/line-3/left/frame_000300.jpg', {
      batchId: null,
      now,
      running: true,
    }),
  'sluice status': () => [readStatus(store, now), readWaits(store, now, true)],
  'sluice problems': () => [...readProblems(store)],
  'sluice metrics': () =>
    metricsText(store, { version: '1', now, running: true, freeBytes: 1, ledgerBytes: 1 }),
});
const [, peakKib = 'NaN'] =
  /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
const peakBytes = Number(peakKib) * 1024;
await host.stop();
await plain.files.close();
await plain.http.close();
process.stdout.write(`${JSON.stringify({ startMs, screens, ticks, peakBytes })}\n`);
