/** Jobs and outputs in the ledger: what moves, what is at rest, what is retried, and that no query scans a table. */
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../../preload/contract/errors.ts';
import { liesOutside } from '../../../../main/engine/evidence/causes.ts';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import { expiringResults } from '../../../../main/engine/jobs/resultsExpiry.ts';
import { toEngineEvent } from '../../../../main/engine/host/events.ts';
import {
  clearFetchErrors,
  jobsGivenUp,
  jobsInMotion,
  hasActiveJobs,
  markFetched,
} from '../../../../main/engine/store/queue/closing.ts';
import {
  addJob,
  moveJob,
  noteFetching,
  noteResults,
} from '../../../../main/engine/store/tables/jobs.ts';
import {
  addOutput,
  moveOutput,
  ordersOfParked,
} from '../../../../main/engine/store/tables/outputs.ts';
import { readWaits } from '../../../../main/engine/status/waits.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { parkedOutputs } from '../../../helpers/parkedOutputs.ts';

const HOUR = 3_600_000;

function job({ store, connectionId }: TestLedger, id: string, downloadTo: string | null): number {
  const jobId = jobIdFrom(id);
  if (jobId === null) throw new Error('a legal id');
  const asked = { connectionId, batchId: 'cups', jobId, name: null, body: {}, downloadTo };
  return addJob(store, asked, 1000).id;
}

function ended(ledger: TestLedger, id: string, downloadTo: string | null = '/to'): number {
  const row = job(ledger, id, downloadTo);
  for (const state of ['starting', 'running', 'succeeded'] as const) {
    moveJob(ledger.store, row, state, 1000);
  }
  return row;
}

function parked(ledger: TestLedger, batchId: string, name: string, code: ErrorCode): number {
  const { store, connectionId } = ledger;
  const place = { target: '/to', path: `/to/${name}`, unpack: false, object: null };
  const key = { connectionId, batchId, part: 'one', fileName: name, occurrence: 0 };
  const { id } = addOutput(store, { ...key, ...place }, 1000);
  moveOutput(store, id, 'parked', 2000, code);
  return id;
}

test('a job moves until its results are here, or cannot be had for now', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  expect(hasActiveJobs(store, connectionId)).toBe(false);
  const row = ended(ledger, 'j1');
  expect(hasActiveJobs(store, connectionId)).toBe(true);
  noteFetching(store, row, 'results.incomplete');
  expect(hasActiveJobs(store, connectionId)).toBe(false);
  expect(jobsInMotion(store, connectionId, 0).toFetch).toEqual([row]);
  clearFetchErrors(store, connectionId);
  expect(hasActiveJobs(store, connectionId)).toBe(true);
  markFetched(store, row);
  expect(hasActiveJobs(store, connectionId)).toBe(false);
  ended(ledger, 'j2', null);
  expect(hasActiveJobs(store, connectionId)).toBe(false);
  const refused = job(ledger, 'j3', null);
  expect(hasActiveJobs(store, connectionId)).toBe(true);
  expect(hasActiveJobs(store, connectionId, [1])).toBe(false);
  moveJob(store, refused, 'parked', 1, 'service.refused');
  expect(hasActiveJobs(store, connectionId)).toBe(false);
  expect(jobsGivenUp(store, connectionId)).toEqual([{ id: refused, code: 'service.refused' }]);
});

test('a job that waits is due again although the clock was set back', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const row = job(ledger, 'j1', null);
  store.run('UPDATE jobs SET retry_at = ? WHERE id = ?', 10 * HOUR, row);
  expect(jobsInMotion(store, connectionId, 9.5 * HOUR).toStart).toEqual([]);
  expect(jobsInMotion(store, connectionId, 10 * HOUR).toStart).toEqual([row]);
  expect(jobsInMotion(store, connectionId, HOUR).toStart).toEqual([row]);
});

test('parked outputs are named with their job, and those without one can be ordered again', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const row = ended(ledger, 'j1');
  noteResults(store, row, 'j1-export');
  const ofJob = parked(ledger, 'j1-export', 'a', 'service.notFound');
  const stray = parked(ledger, 'other', 'b', 'part.unsafeName');
  parked(ledger, 'other', 'c', 'service.notFound');
  expect(parkedOutputs(store, connectionId)).toMatchObject([
    { id: ofJob, path: '/to/a', code: 'service.notFound', since: 2000, jobId: 'j1' },
    { id: stray, path: '/to/b', code: 'part.unsafeName', batchId: 'other', jobId: null },
    { path: '/to/c' },
  ]);
  const order = { batchId: 'other', target: '/to', part: 'one', unpack: false };
  const others = { ...order, codes: ['service.notFound', 'part.unsafeName'] };
  expect(ordersOfParked(store, connectionId)).toEqual([others]);
  markFetched(store, row);
  expect(ordersOfParked(store, connectionId)).toMatchObject([{ batchId: 'j1-export' }, others]);
});

test('an output whose later try was cut by a kill is still shown and ordered again', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const id = parked(ledger, 'out', 'a', 'network.intercepted');
  moveOutput(store, id, 'listed', 3000);
  expect(parkedOutputs(store, connectionId)).toMatchObject([{ id, code: 'network.intercepted' }]);
  expect(ordersOfParked(store, connectionId)).toMatchObject([
    { batchId: 'out', codes: ['network.intercepted'] },
  ]);
  expect(readWaits(store, 4000, true)).toMatchObject([{ kind: 'outputs', count: 1 }]);
  moveOutput(store, id, 'done', 5000);
  expect(parkedOutputs(store, connectionId)).toEqual([]);
  expect(readWaits(store, 6000, true)).toEqual([]);
});

test('outside causes are retried automatically, causes in a file are not', () => {
  const outside: readonly ErrorCode[] = [
    'service.refused',
    'network.intercepted',
    'net.offline',
    'auth.rejected',
    'upload.urlExpired',
    'results.incomplete',
    'output.damaged',
  ];
  expect(outside.filter((code) => !liesOutside(code))).toEqual([]);
  const inside: readonly ErrorCode[] = ['part.damaged', 'part.unsafeName', 'job.conflict'];
  expect(inside.filter(liesOutside)).toEqual([]);
});

test('results of which a file is missing end soon, whatever else is here', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const row = ended(ledger, 'j1');
  const now = 6 * 24 * HOUR;
  const id = parked(ledger, 'j1-export', 'a', 'service.notFound');
  const there = parked(ledger, 'j1-export', 'b', 'service.notFound');
  moveOutput(store, there, 'listed', 1);
  moveOutput(store, there, 'done', 1);
  expect(expiringResults(store, now).map((one) => one.job)).toEqual(['j1']);
  moveOutput(store, id, 'listed', 1);
  moveOutput(store, id, 'done', 1);
  expect(expiringResults(store, now)).toEqual([]);
  expect(row).toBeGreaterThan(0);
});

test('news of results names the job and how many files are missing', () => {
  const fetched = { kind: 'fetched', jobId: 'j1', to: '/to' } as const;
  expect(
    toEngineEvent({ ...fetched, files: 3, bytes: 9, countParked: 2 }, 7, () => 'Count cups'),
  ).toEqual({
    kind: 'fetched',
    connectionIds: [7],
    name: 'Count cups',
    to: '/to',
    files: 3,
    missing: 2,
  });
});

test('questions that are asked for each file or each second use an index', () => {
  const { store } = createTestLedger();
  const plan = (sql: string): string =>
    store
      .all(`EXPLAIN QUERY PLAN ${sql}`)
      .map((row) => String(row['detail']))
      .join('; ');
  const questions = [
    `SELECT path FROM outputs WHERE connection_id = 1 AND batch_id = 'b' AND part = '' AND file_name = 'f' AND state = 'done'`,
    `SELECT * FROM outputs WHERE target = '/t' AND id > 5 ORDER BY id LIMIT 200`,
    `SELECT id FROM outputs WHERE connection_id = 1 AND last_code IS NOT NULL AND state <> 'done'`,
    `SELECT 1 FROM outputs WHERE connection_id = 1 AND state = 'done' AND batch_id IN ('a', 'b')`,
    `SELECT id FROM jobs WHERE connection_id = 1 AND state = 'running' ORDER BY id`,
  ];
  for (const sql of questions) {
    expect(plan(sql)).toMatch(/^SEARCH/);
    expect(plan(sql)).not.toMatch(/SCAN|TEMP B-TREE/);
  }
});
