/** Queries that run every second or more often use an index: a ledger may have a million items in 100,000 batches. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBatchPages, knownBatch } from '../../../../main/engine/queries/batchPages.ts';
import { createJobPages, knownJob } from '../../../../main/engine/queries/jobPages.ts';
import { isKnownPath } from '../../../../main/engine/queries/itemPages.ts';
import { knownDirectories } from '../../../../main/engine/queries/ledgerPaths.ts';
import { problemGroups } from '../../../../main/engine/queries/problemPages.ts';
import { createSnapshotReader } from '../../../../main/engine/host/snapshot.ts';
import { openEngineHost, type EngineHost } from '../../../../main/engine/host/host.ts';
import { addConnection, selectConnection } from '../../../../main/engine/host/connections.ts';
import { createEventFinder } from '../../../../main/engine/host/events.ts';
import { addWatch } from '../../../../main/engine/store/tables/watches.ts';
import { ensureDestination } from '../../../../main/engine/store/tables/connections.ts';
import { metricsText } from '../../../../main/engine/status/metrics.ts';
import { readWaits } from '../../../../main/engine/status/waits.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';
import { valueOf } from '../../../helpers/results.ts';

const executed = new Set<string>();
let recording = false;

beforeEach(() => {
  executed.clear();
  const original = DatabaseSync.prototype.prepare;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    sql: string,
  ): StatementSync {
    const statement = original.call(this, sql);
    for (const name of ['get', 'all', 'run', 'iterate'] as const) {
      const act: unknown = Reflect.get(statement, name);
      if (typeof act !== 'function') continue;
      Object.defineProperty(statement, name, {
        value: (...values: unknown[]): unknown => {
          if (recording) executed.add(sql);
          return Reflect.apply(act, statement, values);
        },
      });
    }
    return statement;
  });
});
afterEach(() => {
  recording = false;
  vi.restoreAllMocks();
});

function openHost(): { host: EngineHost; connectionId: number } {
  const { ports } = createTestPipeline(createTestLedger());
  const host = valueOf(openEngineHost(scratch(), ports, () => undefined));
  const { store } = host;
  const address = { apiUrl: 'http://127.0.0.1:1', projectsUrl: 'http://127.0.0.1:1' };
  const connection = { ...address, workspace: 'demo' };
  const connectionId = addConnection(store, connection, 'person');
  selectConnection(store, connectionId);
  addWatch(store, connectionId, standardRule('/camera', 'camera'), 'camera', false, 1);
  ensureDestination(store, connectionId, 'drop');
  return { host, connectionId };
}

/** Indexes of only what is in progress or needs a person: a full scan of one of them is not a scan of everything. */
const SMALL =
  /USING (COVERING )?INDEX (transfers_failing|transfers_unlisted|items_again|items_parked|batches_paused)/;

/** Read from the end up to the first match, or grouped over what is new since the last query. */
const SHORT_WALKS =
  /^SCAN items: SELECT found_at AS at|: SELECT DISTINCT batch_row FROM transfers WHERE id > \?/;

function walksOf(host: EngineHost): readonly string[] {
  recording = false;
  const walk = /^SCAN (items|batches|transfers|jobs|outputs)\b/;
  return [...executed].flatMap((sql) => {
    if (!/^\s*(SELECT|WITH)/i.test(sql)) return [];
    const plan = host.store.all(`EXPLAIN QUERY PLAN ${sql}`).map((row) => String(row['detail']));
    return plan
      .filter((step) => walk.test(step) && !SMALL.test(step))
      .map((step) => `${step}: ${sql.replace(/\s+/g, ' ')}`)
      .filter((step) => !SHORT_WALKS.test(step));
  });
}

test('the snapshot, the tick and the waits', async () => {
  const { host } = openHost();
  const read = createSnapshotReader(host, () => false);
  const finder = createEventFinder(host.store);
  recording = true;
  read();
  finder(1);
  finder(10_000);
  readWaits(host.store, 1, true);
  host.reload();
  expect(executed.size).toBeGreaterThan(20);
  expect(walksOf(host)).toEqual([]);
  await host.stop();
});

test('lists that are asked for again and again', async () => {
  const { host, connectionId } = openHost();
  const { store } = host;
  const from = { store, connectionId, connection: null, now: 1 };
  const page = { offset: 0, limit: 50, search: '' };
  recording = true;
  problemGroups(store, connectionId);
  await createBatchPages()(from, page);
  await createJobPages()(from, page);
  knownBatch(from, 'camera');
  knownJob(store, connectionId, 'night-4');
  isKnownPath(store, '/camera/a.jpg');
  knownDirectories(store);
  expect(executed.size).toBeGreaterThan(8);
  const walks = walksOf(host);
  // Counting batches and jobs, and listing the directories of jobs, reads one entry each and runs only on demand.
  expect(walks.filter((step) => !/count\(\*\)|download_to/.test(step))).toEqual([]);
  await host.stop();
});

test('the metrics, which a monitoring system asks for every few seconds', async () => {
  const { host } = openHost();
  const facts = { version: '1', now: 1, running: true, freeBytes: 1, ledgerBytes: 1 };
  recording = true;
  metricsText(host.store, facts);
  expect(executed.size).toBeGreaterThan(3);
  // There are few jobs, and they are counted from their index.
  expect(walksOf(host).filter((step) => !step.startsWith('SCAN jobs USING'))).toEqual([]);
  await host.stop();
});
