/** The list of problems: each file once, undo of decisions, what a watch leaves out from now on, failed jobs. */
import { expect, test } from 'vitest';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import { leaveOutLike, undoLeaveOutLike } from '../../../../main/engine/decisions/leaveOutLike.ts';
import { ignoreProblems } from '../../../../main/engine/decisions/problems.ts';
import { undoDecision } from '../../../../main/engine/decisions/undoDecision.ts';
import { readProblems } from '../../../../main/engine/queries/overview.ts';
import { problemGroups } from '../../../../main/engine/queries/problemPages.ts';
import { dismissJob } from '../../../../main/engine/decisions/jobs.ts';
import { failedJobs, problemCounts } from '../../../../main/engine/status/problemCounts.ts';
import { ensureDestination } from '../../../../main/engine/store/tables/connections.ts';
import { addItem, itemById } from '../../../../main/engine/store/tables/items.ts';
import { addJob, moveJob } from '../../../../main/engine/store/tables/jobs.ts';
import { addWatch, watchById } from '../../../../main/engine/store/tables/watches.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import type { ErrorCode } from '../../../../preload/contract/errors.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { valueOf } from '../../../helpers/results.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';

const WEEK = 7 * 24 * 3_600_000;

function park(
  { store }: TestLedger,
  destinationId: number,
  path: string,
  relativePath: string,
  at: number,
  code: ErrorCode = 'item.truncated',
): number {
  const id = addItem(
    store,
    { destinationId, path, relativePath, baseId: null },
    identified(`${path}${at}`),
    1,
  );
  const detail = JSON.stringify({ said: 'why' });
  moveItem(store, id, 'parked', at, { code, detail });
  return id;
}

test('problems come by cause and age, a thousand at a time', () => {
  const { store, connectionId, destinationId } = createTestLedger();
  const drop = ensureDestination(store, connectionId, 'drop');
  for (let number = 0; number < 2_100; number += 1) {
    const path = `/${number}.jpg`;
    const place = { destinationId: number % 3 === 0 ? drop : destinationId, baseId: null };
    const id = addItem(store, { ...place, path, relativePath: path }, identified(path), 1);
    const code = number % 2 === 0 ? 'item.truncated' : 'item.unreadable';
    if (number % 7 !== 0) moveItem(store, id, 'parked', 9_000 - number, { code, detail: null });
  }
  const groups = [...readProblems(store)];
  expect(groups.map(({ length }) => length)).toEqual([1000, 800]);
  const sql = `SELECT id FROM items WHERE state = 'parked' ORDER BY reason, id`;
  expect(groups.flat().map(({ id }) => id)).toEqual(store.ids(sql));
  expect(groups[0]?.[0]).toMatchObject({ batch: null, destination: 'batch-1', detail: null });
});

test('a file that was found by a watch and dropped as well is one problem', () => {
  const ledger = createTestLedger();
  const { store, connectionId, destinationId } = ledger;
  const drop = ensureDestination(store, connectionId, 'drop');
  const a = park(ledger, destinationId, '/in/a.jpg', 'a.jpg', 10);
  const b = park(ledger, drop, '/in/a.jpg', 'a.jpg', 20);
  park(ledger, drop, '/in/c.jpg', 'c.jpg', 30);
  const [group] = problemGroups(store, connectionId);
  expect(group).toMatchObject({ count: 2, detail: 'why' });
  expect(group?.rows.map(({ ids, path }) => [ids, path])).toEqual([
    [[a, b], '/in/a.jpg'],
    [[b + 1], '/in/c.jpg'],
  ]);
  const counts = { readAt: 15, now: 100 };
  expect(problemCounts(store, connectionId, counts)).toEqual({
    ...{ count: 2, folders: 0, unread: 2, jobs: 0 },
  });
  expect(problemCounts(store, connectionId, { ...counts, readAt: 25 })).toMatchObject({
    unread: 1,
  });
  park(ledger, destinationId, '/in/closed', 'closed', 40, 'directory.unreadable');
  expect(problemCounts(store, connectionId, counts)).toMatchObject({ count: 3, folders: 1 });
});

test('ignoring is undone: the file is a problem again, for the same reason, and nothing is sent', () => {
  const ledger = createTestLedger();
  const { store, connectionId, destinationId } = ledger;
  const a = park(ledger, destinationId, '/in/a.jpg', 'a.jpg', 10);
  const ignored = ignoreProblems({ store, connectionId, now: 20 }, { ids: [a], code: null });
  expect(ignored.count).toBe(1);
  expect(problemGroups(store, connectionId)).toEqual([]);
  expect(undoDecision(store, ignored, 30)).toBe(1);
  expect(itemById(store, a)).toMatchObject({ state: 'parked', reason: 'item.truncated' });
  expect(problemGroups(store, connectionId)[0]?.detail).toBe('why');
  expect(undoDecision(store, ignored, 40)).toBe(0);
});

test('files like one are left out by the rule of their watch from now on, and that is undone as well', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const directory = scratch();
  const rule = { ...standardRule(directory, 'camera'), exclude: ['*.raw'] };
  const { id: watchId, destinationId } = addWatch(store, connectionId, rule, 'cam', false, 1);
  const ports = { clock: createManualClock(), files: createInlineFiles() };
  const watches = { store, ports, dataDirectory: ledger.directory };
  const a = park(ledger, destinationId, `${directory}/test/a.jpg`, 'test/a.jpg', 10);
  const b = park(ledger, destinationId, `${directory}/b.jpg`, 'b.jpg', 10);
  const [row] = problemGroups(store, connectionId)[0]?.rows ?? [];
  expect(row).toMatchObject({ watchId, relativePath: 'test/a.jpg', kind: 'image' });
  // Also dropped, outside any watched folder.
  const drop = ensureDestination(store, connectionId, 'drop');
  const dropped = park(ledger, drop, `${directory}/test/a.jpg`, 'a.jpg', 10);
  const again = problemGroups(store, connectionId)[0]?.rows[0];
  expect(again).toMatchObject({ ids: [a, dropped], watchId, relativePath: 'test/a.jpg' });
  const like = { watchId, pattern: 'test/**' };
  const done = valueOf(await leaveOutLike(watches, like));
  expect([done.count, done.before.map(({ id }) => id)]).toEqual([1, [a]]);
  expect(watchById(store, watchId)?.rule.exclude).toEqual(['*.raw', 'test/**']);
  expect(itemById(store, a)).toMatchObject({ state: 'skipped', reason: 'item.ignored' });
  expect(itemById(store, b)?.state).toBe('parked');
  expect(await undoLeaveOutLike(watches, like, done)).toEqual({ ok: true, value: 1 });
  expect(watchById(store, watchId)?.rule.exclude).toEqual(['*.raw']);
  expect(itemById(store, a)?.state).toBe('parked');
  expect(await leaveOutLike(watches, { watchId: 99, pattern: 'x' })).toMatchObject({ ok: false });
});

test('a failed job is a problem for a week, until it is taken off the list or another one processes its batch', () => {
  const { store, connectionId } = createTestLedger();
  const jobId = jobIdFrom('j');
  if (jobId === null) throw new Error('a legal id');
  const asked = { connectionId, batchId: 'b', jobId, name: 'Count', body: {}, downloadTo: null };
  const { id } = addJob(store, asked, 1);
  const fail = (at: number): void => {
    if (store.get('SELECT state FROM jobs')?.['state'] === 'planned')
      moveJob(store, id, 'starting', at);
    moveJob(store, id, 'running', at);
    moveJob(store, id, 'failed', at, 'job.failed');
  };
  fail(1000);
  const names = (now: number): readonly string[] =>
    failedJobs(store, connectionId, now).map(({ name }) => name);
  expect(names(2000)).toEqual(['Count']);
  expect(names(2000 + WEEK)).toEqual([]);
  dismissJob({ store, connectionId, now: 2000 }, { jobId: 'j', dismissed: true });
  expect(names(2000)).toEqual([]);
  expect(problemCounts(store, connectionId, { readAt: 0, now: 2000 }).jobs).toBe(0);
  dismissJob({ store, connectionId, now: 2000 }, { jobId: 'j', dismissed: false });
  expect(names(2000)).toEqual(['Count']);
  dismissJob({ store, connectionId, now: 2000 }, { jobId: 'j', dismissed: true });
  fail(3000);
  expect(names(4000)).toEqual(['Count']);
  const next = jobIdFrom('j2');
  if (next === null) throw new Error('a legal id');
  addJob(store, { ...asked, jobId: next }, 5000);
  expect(names(6000)).toEqual([]);
});
