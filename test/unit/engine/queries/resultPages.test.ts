/** Results of a job as the ledger and the disk know them: after a restart, offline, when files were moved away. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { DownloadView, RemoteBatch } from '../../../../main/engine/core/model.ts';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import { jobsOfBatch, withoutJobBatches } from '../../../../main/engine/queries/jobBatches.ts';
import { resultKind } from '../../../../main/engine/queries/resultFiles.ts';
import {
  createResultPages,
  type ResultPages,
} from '../../../../main/engine/queries/resultPages.ts';
import { markFetched } from '../../../../main/engine/store/queue/closing.ts';
import {
  addJob,
  moveJob,
  noteFetching,
  noteResults,
} from '../../../../main/engine/store/tables/jobs.ts';
import {
  addOutput,
  finishOutput,
  moveOutput,
} from '../../../../main/engine/store/tables/outputs.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { tarOf } from '../../../helpers/tar.ts';

interface Scene extends TestLedger {
  readonly to: string;
  readonly pages: ResultPages;
  readonly running: DownloadView[];
  /** Adds an output; with content, its file too. */
  output(name: string, content: string | Buffer | null): string;
  job(downloadTo: string | null): number;
}

function scene(): Scene {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const to = join(ledger.directory, 'results');
  const running: DownloadView[] = [];
  const clock = createManualClock();
  const pages = createResultPages({
    store,
    // Every query lists the folder again.
    ports: { clock: { ...clock, monotonicMs: () => (tick += 10_000) }, files: createInlineFiles() },
    downloads: { views: () => running },
    selectedId: () => connectionId,
    signal: new AbortController().signal,
  });
  let tick = 0;
  return {
    ...ledger,
    to,
    pages,
    running,
    output: (name, content) => {
      const path = join(to, name);
      const key = { connectionId, batchId: 'j-export', part: 'p', fileName: name, occurrence: 0 };
      const added = addOutput(
        store,
        { ...key, target: to, path, unpack: false, object: null },
        1000,
      );
      if (content === null) return path;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      finishOutput(store, added, { sizeBytes: 10, sha256: 'x', stamp: null }, 2000);
      return path;
    },
    job: (downloadTo) => {
      const jobId = jobIdFrom('j');
      if (jobId === null) throw new Error('a legal id');
      const asked = { connectionId, batchId: 'cups', jobId, name: 'Count', body: {}, downloadTo };
      const { id } = addJob(store, asked, 1000);
      for (const state of ['starting', 'running', 'succeeded'] as const)
        moveJob(store, id, state, 1);
      return id;
    },
  };
}

test('a folder is remembered without the service: tables, images, archives and the rest', async () => {
  const { pages, output, to } = scene();
  const csv = output('summary.csv', 'a\n1\n');
  output('a.JPG', 'x');
  output('shard-0.tar.gz', 'x');
  output('notes.txt', 'x');
  expect(await pages.detail('j')).toMatchObject({
    state: 'here',
    folder: to,
    automatic: false,
    known: 4,
    here: 4,
    bytes: 40,
    code: null,
    counts: { table: 1, image: 1, archive: 1, other: 1 },
    packed: 1,
    tables: [{ path: csv, name: 'summary.csv', kind: 'table' }],
  });
  const images = { jobId: 'j', kind: 'image', search: 'a.j', offset: 0, limit: 10 } as const;
  expect((await pages.files(images)).rows.map(({ name }) => name)).toEqual(['a.JPG']);
  expect(await pages.detail('other')).toMatchObject({ state: 'none', folder: null });
});

test('files are sorted by name or type, and are as the service lists them until then', async () => {
  const { pages, output } = scene();
  for (const name of ['b.json', 'C.txt', 'LICENSE', 'a.txt']) output(name, 'x');
  const names = async (order: Parameters<ResultPages['files']>[0]): Promise<readonly string[]> =>
    (await pages.files(order)).rows.map(({ name }) => name);
  const all = { jobId: 'j', kind: 'other', search: '', offset: 0, limit: 10 } as const;
  expect(await names(all)).toEqual(['b.json', 'C.txt', 'LICENSE', 'a.txt']);
  const byName = ['a.txt', 'b.json', 'C.txt', 'LICENSE'];
  expect(await names({ ...all, sort: 'name', descending: false })).toEqual(byName);
  expect(await names({ ...all, sort: 'name', descending: true })).toEqual(byName.toReversed());
  // Files without a type come last in both directions.
  const byType = { ...all, sort: 'type' } as const;
  expect(await names({ ...byType, descending: false })).toEqual([
    'b.json',
    'C.txt',
    'a.txt',
    'LICENSE',
  ]);
  expect((await names({ ...byType, descending: true })).at(-1)).toBe('LICENSE');
});

test('what is missing, moved away or still coming is reported', async () => {
  const { pages, store, output, to, job, running } = scene();
  const row = job(to);
  const state = async (): Promise<string> => (await pages.detail('j')).state;
  expect(await state()).toBe('fetching');
  noteFetching(store, row, 'results.incomplete');
  expect(await pages.detail('j')).toMatchObject({
    state: 'incomplete',
    code: 'results.incomplete',
    automatic: true,
  });
  const path = output('summary.csv', 'a\n');
  noteResults(store, row, 'j-export');
  markFetched(store, row);
  expect(await state()).toBe('here');
  rmSync(path);
  expect(await pages.detail('j')).toMatchObject({ state: 'incomplete', here: 0 });
  rmSync(to, { recursive: true });
  expect(await state()).toBe('gone');
  const download = { batchId: 'j-export', jobId: 'j', to: '/elsewhere', state: 'running' } as const;
  running.push({ ...download, done: 0, files: 0, bytes: 0, error: null });
  expect(await pages.detail('j')).toMatchObject({
    state: 'fetching',
    folder: '/elsewhere',
  });
});

test('a job that failed has no results that could be missing', async () => {
  const { pages, connectionId, store } = scene();
  const jobId = jobIdFrom('j');
  if (jobId === null) throw new Error('a legal id');
  const asked = { connectionId, batchId: 'cups', jobId, name: null, body: {}, downloadTo: null };
  const { id } = addJob(store, asked, 1000);
  for (const state of ['starting', 'running'] as const) moveJob(store, id, state, 1);
  moveJob(store, id, 'failed', 1, 'job.failed');
  expect(await pages.detail('j')).toMatchObject({ state: 'none', code: null });
});

test('files that were given up make results incomplete', async () => {
  const { pages, store, output } = scene();
  output('a.csv', 'a\n');
  output('b.csv', null);
  const id = Number(store.get('SELECT max(id) AS id FROM outputs')?.['id']);
  moveOutput(store, id, 'parked', 3000, 'part.damaged');
  expect(await pages.detail('j')).toMatchObject({
    state: 'incomplete',
    known: 2,
    here: 1,
    code: 'part.damaged',
  });
});

test('only listed files may be read, and only inside their folder', async () => {
  const { pages, output, to, directory } = scene();
  const path = output('part/summary.csv', 'a\n');
  const real = await pages.realPath('j', path);
  expect(real).toMatchObject({ ok: true });
  const secret = join(directory, 'secret.csv');
  writeFileSync(secret, 'secret\n');
  writeFileSync(join(to, 'own.csv'), 'not downloaded\n');
  for (const other of [secret, join(to, 'own.csv'), `${to}/part/../part/summary.csv`, to]) {
    const answer = await pages.realPath('j', other);
    expect(answer).toMatchObject({ error: { code: 'usage.invalid' } });
  }
  // A folder on the path becomes a link to another place.
  rmSync(join(to, 'part'), { recursive: true });
  mkdirSync(join(directory, 'elsewhere'));
  writeFileSync(join(directory, 'elsewhere', 'summary.csv'), 'secret\n');
  symlinkSync(join(directory, 'elsewhere'), join(to, 'part'));
  expect((await pages.realPath('j', path)).ok).toBe(false);
});

test('archives are unpacked on request, and what was in them can be looked at', async () => {
  const { pages, output, to } = scene();
  output(
    'shard-0.tar.gz',
    gzipSync(await tarOf([{ name: 'boxes/a.jsonl', content: '{"a":1}\n' }])),
  );
  output('broken.zip', 'no archive');
  expect(await pages.unpack('j')).toMatchObject({ ok: false });
  expect(readFileSync(join(to, 'shard-0', 'boxes', 'a.jsonl'), 'utf8')).toBe('{"a":1}\n');
  const view = await pages.detail('j');
  expect(view).toMatchObject({ packed: 1, counts: { table: 1, archive: 1 } });
  expect(view.tables[0]?.name).toBe('shard-0/boxes/a.jsonl');
  const path = view.tables[0]?.path ?? '';
  expect((await pages.realPath('j', path)).ok).toBe(true);
});

test('unpacking that is asked for twice at once happens once', async () => {
  const { pages, output } = scene();
  output('shard-0.tar.gz', gzipSync(await tarOf([{ name: 'a.csv', content: 'a\n1\n' }])));
  const [first, second] = await Promise.all([pages.unpack('j'), pages.unpack('j')]);
  expect(first).toEqual({ ok: true, value: 1 });
  expect(second).toBe(first);
});

test('what a file is shown as goes by its name', () => {
  const kinds = ['a.csv', 'b.NDJSON', 'c.jpeg', 'd.tar.gz', 'e.json', 'csv'].map(resultKind);
  expect(kinds).toEqual(['table', 'table', 'image', 'archive', 'other', 'other']);
});

function remote(batchId: string): RemoteBatch {
  const named = { batchId, displayName: '', type: 'multipart-batch', contentType: 'mixed' };
  return { ...named, createdAt: 1, expiresAt: 0 };
}

test('batches that a job filled are part of the job', async () => {
  const { store, connectionId, job } = scene();
  const row = job(null);
  noteResults(store, row, 'odd-name');
  const ids = ['j-export', 'j-processing', 'odd-name', 'theirs-export', 'photos-export', 'plain'];
  const left = await withoutJobBatches(store, connectionId, ids.map(remote), async () => [
    { jobId: 'theirs' },
  ]);
  expect(left.map(({ batchId }) => batchId)).toEqual(['photos-export', 'plain']);
  let asked = false;
  await withoutJobBatches(store, connectionId, ['plain', 'j-export'].map(remote), async () => {
    asked = true;
    return [];
  });
  expect(asked).toBe(false);
  const made = [{ jobId: 'j', name: 'Count', state: 'succeeded' }];
  expect(jobsOfBatch(store, connectionId, 'j-processing')).toMatchObject(made);
  expect(jobsOfBatch(store, connectionId, 'odd-name')).toMatchObject(made);
  expect(jobsOfBatch(store, connectionId, 'cups')).toMatchObject(made);
  expect(jobsOfBatch(store, connectionId, 'plain')).toEqual([]);
});
