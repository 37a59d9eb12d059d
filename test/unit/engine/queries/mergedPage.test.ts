/** Pages of the ledger's entries and the service's, newest first, reading no more than a page needs. */
import { expect, test } from 'vitest';
import { createBatchPages } from '../../../../main/engine/queries/batchPages.ts';
import { createJobPages } from '../../../../main/engine/queries/jobPages.ts';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import { createRemoteList, mergedPage } from '../../../../main/engine/queries/mergedPage.ts';
import { fail, ok, type Result } from '../../../../main/engine/core/errors.ts';
import { noteServiceClock } from '../../../../main/engine/store/tables/serviceClock.ts';
import { addJob } from '../../../../main/engine/store/tables/jobs.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

test('entries of both are in one order, and every one is on exactly one page', () => {
  const asked: number[] = [];
  const dated = (key: number): { key: number; entry: number } => ({ key, entry: key });
  const own = {
    total: 50,
    first: (most: number) => {
      asked.push(most);
      return Array.from({ length: Math.min(50, most) }, (_, index) => dated(100 - 2 * index));
    },
  };
  const others = [95, 99, 1, 51].map(dated);
  const pages = [0, 20, 40, 60].flatMap((offset) => [
    ...mergedPage(own, others, { offset, limit: 20 }).entries,
  ]);
  expect(mergedPage(own, others, { offset: 0, limit: 20 }).total).toBe(54);
  expect(pages).toHaveLength(54);
  expect(pages).toEqual(pages.toSorted((a, b) => b - a));
  expect(new Set(pages).size).toBe(54);
  expect(asked).toContain(20);
});

test('what other computers sent stays in the list while the service does not answer', async () => {
  const pipeline = createTestPipeline(createTestLedger());
  let since: number | null = null;
  let answer: Result<readonly string[] | null> = ok(['cups']);
  const listOf = createRemoteList(0, () => Promise.resolve(answer));
  const of = (id: number) =>
    listOf({ row: { id }, runner: { pipeline, failingSince: () => since, blockedBy: () => null } });
  expect(await of(1)).toEqual(['cups']);
  answer = fail('network.lost');
  expect(await of(1)).toEqual(['cups']);
  answer = ok([]);
  since = 1;
  expect(await of(1)).toEqual(['cups']);
  // Another workspace has never been read.
  expect(await of(2)).toEqual([]);
  since = null;
  expect(await of(1)).toEqual([]);
});

test('batches and jobs of the ledger are found by part of their name, newest first', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  for (const [index, name] of ['cam_1', 'cam-2', 'other'].entries()) {
    const { id } = ledger.batch({ batchId: name, displayName: name === 'other' ? 'Cam 3' : null });
    store.run('UPDATE batches SET created_at = ? WHERE id = ?', index, id);
    const jobId = jobIdFrom(`job-${name}`);
    if (jobId === null) throw new Error('a legal id');
    const job = { connectionId, batchId: name, jobId, name: null, body: {}, downloadTo: null };
    addJob(store, job, index);
  }
  const from = { store, connectionId, connection: null, now: 0 };
  const batches = createBatchPages();
  const jobs = createJobPages();
  const find = async (search: string, offset = 0): Promise<readonly unknown[]> => {
    const query = { offset, limit: 2, search };
    const one = await batches(from, query);
    const other = await jobs(from, query);
    return [
      one.total,
      one.rows.map(({ batchId }) => batchId),
      other.rows.map((job) => job.batchId),
    ];
  };
  expect(await find('')).toEqual([3, ['other', 'cam-2'], ['other', 'cam-2']]);
  expect(await find('', 2)).toEqual([3, ['cam_1'], ['cam_1']]);
  expect(await find('CAM ')).toEqual([3, ['other', 'cam-2'], ['cam-2', 'cam_1']]);
  expect(await find('cam_')).toEqual([1, ['cam_1'], ['cam_1']]);
});

test('when a batch expires is shown by this computer’s clock, also while its connection is not at work', async () => {
  const { store, connectionId, batch } = createTestLedger();
  const { id } = batch({ batchId: 'cam' });
  store.run('UPDATE batches SET expires_at = 5000 WHERE id = ?', id);
  noteServiceClock(store, connectionId, { service: 1000, local: 4000 });
  const from = { store, connectionId, connection: null, now: 4500 };
  const { rows } = await createBatchPages()(from, { offset: 0, limit: 1, search: '' });
  expect(rows[0]?.expiresAt).toBe(8000);
});

test('batches and jobs come in the order of a column, what has no value last', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const expires = [30, null, 10];
  for (const [index, name] of ['beta', 'Alpha', 'gamma'].entries()) {
    const { id } = ledger.batch({ batchId: name, displayName: null });
    store.run(
      'UPDATE batches SET created_at = ?, expires_at = ? WHERE id = ?',
      index,
      expires[index] ?? null,
      id,
    );
    const jobId = jobIdFrom(`job-${name}`);
    if (jobId === null) throw new Error('a legal id');
    const job = { connectionId, batchId: name, jobId, name, body: {}, downloadTo: null };
    addJob(store, job, index);
  }
  const from = { store, connectionId, connection: null, now: 0 };
  const batches = createBatchPages();
  const jobs = createJobPages();
  const page = { offset: 0, limit: 10, search: '' };
  const of = async (
    sort: 'name' | 'expires' | 'started' | 'uploaded',
    descending: boolean,
  ): Promise<string> => {
    const { rows } = await batches(from, { ...page, sort, descending });
    return rows.map(({ batchId }) => batchId).join(' ');
  };
  expect(await of('name', false)).toBe('Alpha beta gamma');
  expect(await of('name', true)).toBe('gamma beta Alpha');
  expect(await of('expires', false)).toBe('gamma beta Alpha');
  expect(await of('expires', true)).toBe('beta gamma Alpha');
  expect(await of('started', false)).toBe('beta Alpha gamma');
  expect(await of('uploaded', true)).toBe('gamma Alpha beta');
  const ofJobs = async (sort: 'name' | 'batch' | 'started', descending: boolean) => {
    const query = { ...page, sort, descending };
    const { rows } = await jobs(from, query);
    return rows.map(({ name }) => name).join(' ');
  };
  expect(await ofJobs('name', false)).toBe('Alpha beta gamma');
  expect(await ofJobs('batch', true)).toBe('gamma beta Alpha');
  expect(await ofJobs('started', false)).toBe('beta Alpha gamma');
});
