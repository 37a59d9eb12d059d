/** Texts about batches: never more than is known. */
import { describe, expect, it } from 'vitest';
import { NO_COUNTS as NONE } from '../../../main/engine/status/counts.ts';
import type { ShardDetails } from '../../../preload/contract/serviceRecords.ts';
import type { BatchDetail, BatchRow, Counts } from '../../../preload/contract/records.ts';
import type { DownloadView } from '../../../preload/contract/snapshot.ts';
import {
  countOfFilter,
  ITEM_FILTERS,
  otherName,
} from '../../../renderer/views/batches/batchItems.ts';
import { downloadOf, outputGroups } from '../../../renderer/views/batches/batchOutputs.ts';
import {
  batchFigures,
  countsOf,
  batchState,
  batchTabs,
  countVerdict,
  firstBatchTab,
  sealQuestion,
  needsYou,
  whyNoJob,
  whyNoJobNow,
  whyNotSealed,
} from '../../../renderer/views/batches/batchWords.ts';
import { orderedShards, shardSummary } from '../../../renderer/views/batches/batchShards.ts';
import { batchDetail, batchRow } from './records.ts';

function batch(counts: Partial<Counts> = {}, change: Partial<BatchRow> = {}): BatchRow {
  return batchRow({ counts: { ...NONE, ...counts }, ...change });
}

function verdict(confirmed: number, countAtService: number | null, change: Partial<BatchRow> = {}) {
  return countVerdict(batchDetail(batch({ found: 10, confirmed }, change), { countAtService }));
}

describe('the two counts', () => {
  it('are called equal only when they are', () => {
    expect(verdict(10, 10).tone).toBe('confirmed');
    expect(verdict(10, 9).tone).toBe('waiting');
    expect(verdict(10, 11).tone).toBe('waiting');
    expect(verdict(0, 0).tone).toBe('quiet');
  });

  it('warn in red when the service has none of what was confirmed', () => {
    expect(verdict(10, 0)).toMatchObject({ tone: 'needs' });
    const error = { code: 'service.failed', next: 'retry', context: {} } as const;
    const half = batchDetail(batch({ found: 10, confirmed: 10 }), { countAtService: 0, error });
    expect(countVerdict(half)).toMatchObject({ tone: 'waiting' });
  });

  it('are not compared when one is not known', () => {
    expect(verdict(10, null).sentence).toMatch(/not available/);
    const asked = countVerdict(batchDetail(batch({ found: 10, confirmed: 10 })), true);
    expect(asked).toEqual({ tone: 'quiet', sentence: 'Asking the service…' });
    expect(verdict(0, 500, { state: 'remote' }).tone).toBe('quiet');
    expect(verdict(10, null, { state: 'expired' }).sentence).toMatch(/deleted its copy/);
  });

  it('say that more arrived than is confirmed while something is on its way', () => {
    const sending = batch({ found: 10, confirmed: 4, sending: 6 });
    const said = countVerdict(batchDetail(sending, { countAtService: 7 }));
    expect(said).toMatchObject({ tone: 'moving' });
  });
});

describe('what a batch allows', () => {
  it('is no job while files are on their way, when empty, or expired', () => {
    expect(whyNoJob(batch({ found: 2, confirmed: 2 }))).toBeNull();
    expect(whyNoJob(batch({ found: 2, confirmed: 1, sending: 1 }))).toMatch(/not confirmed yet/);
    expect(whyNoJob(batch())).toMatch(/empty/);
    expect(whyNoJob(batch({ confirmed: 2 }, { state: 'expired' }))).toMatch(/expired/);
    expect(whyNoJob(batch({}, { state: 'remote' }))).toBeNull();
  });

  it('is no job once the service has none of its files', () => {
    const sent = batch({ found: 2, confirmed: 2 });
    expect(whyNoJobNow(batchDetail(sent, { countAtService: 2 }))).toBeNull();
    expect(whyNoJobNow(batchDetail(sent, { countAtService: null }))).toBeNull();
    expect(whyNoJobNow(batchDetail(sent, { countAtService: 0 }))).toMatch(/none of these files/);
  });

  it('is to be closed only while it is open', () => {
    expect(whyNotSealed(batch())).toBeNull();
    expect(whyNotSealed(batch({}, { state: 'sealed' }))).not.toBeNull();
    expect(sealQuestion(batch({ queued: 1200, sending: 34 }))).toContain('1,234');
    expect(sealQuestion(batch())).toContain('arrived');
  });

  it('counts each filter', () => {
    const counts = {
      found: 16,
      queued: 1,
      sending: 2,
      sent: 1,
      confirmed: 3,
      skipped: 4,
      attention: 5,
    };
    const all = ITEM_FILTERS.map(({ value }) => countOfFilter(value, counts));
    expect(all).toEqual([16, 1, 2, 1, 3, 5]);
  });
});

describe('the figures of a batch', () => {
  it('never call a part everything, and do not count what was left out', () => {
    const part = { ...NONE, found: 9, confirmed: 6, skipped: 1, attention: 2 };
    expect(batchFigures(part)).toBe('6 of 8 confirmed');
    expect(batchFigures({ ...NONE, found: 1, attention: 1 })).toBe('0 of 1 confirmed');
    expect(batchFigures({ ...NONE, found: 2, skipped: 2 })).toBe('nothing yet');
    expect(batchFigures({ ...NONE, found: 1234, confirmed: 1234 })).toBe('1,234 confirmed');
    expect(batchFigures(NONE)).toBe('nothing yet');
  });

  it('list what needs a person separately', () => {
    expect(needsYou(batch())).toBeNull();
    expect(needsYou(batch({ attention: 1 }))).toBe('1 needs attention');
    const unplaced = batch({ found: 1210, confirmed: 11, attention: 1199 }, { unplaced: 1 });
    expect(needsYou(unplaced)).toBe('1,200 need attention');
    expect(batchFigures(countsOf(unplaced))).toBe('11 of 1,211 confirmed');
  });
});

describe('names', () => {
  it('at the service are said only when they differ', () => {
    expect(otherName({ path: '/a/b.jpg', name: 'b.jpg' })).toBeNull();
    expect(otherName({ path: '/a/b.jpg', name: null })).toBeNull();
    expect(otherName({ path: '/a/b.jpg', name: 'a__b.jpg' })).toBe('a__b.jpg');
  });
});

describe('shards, outputs and downloads', () => {
  it('are counted by how they ended', () => {
    const shard = (shardId: string, status: ShardDetails['status']): ShardDetails => ({
      shardId,
      status,
      statusName: status,
      objectsCount: 1,
      eventAt: 1,
      details: null,
    });
    const ended = [shard('a', 'succeeded'), shard('b', 'failed'), shard('c', 'succeeded')];
    const shards = [...ended, shard('d', 'unknown')];
    expect(shardSummary(shards)).toBe('2 indexed, 1 refused, 1 unknown');
    expect(shardSummary([])).toBe('');
    expect(orderedShards(shards).map(({ shardId }) => shardId)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('stand under their part, a part without files too, and files of no part', () => {
    const file = (part: string | null, fileName: string) => ({
      part,
      fileName,
      contentType: 'text/csv',
      path: null,
    });
    const parts = [{ name: 'csv', contentType: 'text/csv', description: 'rows' }];
    const groups = outputGroups(parts, [file('more', 'm'), file(null, 'n')]);
    expect(groups.map(({ part, files }) => [part, files.length])).toEqual([
      ['csv', 0],
      ['more', 1],
      [null, 1],
    ]);
  });

  it('show the newest download of the batch asked for', () => {
    const download = (batchId: string, done: number): DownloadView => ({
      batchId,
      jobId: null,
      to: '/d',
      state: 'running',
      done,
      files: 9,
      bytes: 1,
      error: null,
    });
    // In the order of the snapshot: the newest first.
    const downloads = [download('a', 3), download('b', 2), download('a', 1)];
    expect(downloadOf({ downloads }, 'a')?.done).toBe(3);
    expect(downloadOf({ downloads }, 'c')).toBeNull();
    expect(downloadOf({ downloads }, null)).toBeNull();
  });
});

describe('the detail of a batch', () => {
  const detail = (change: Partial<BatchRow>): BatchDetail =>
    batchDetail(batch({ found: 1200, skipped: 2, confirmed: 1198 }, change), { leftOut: 2 });

  const job = (state: 'failed' | 'succeeded') => ({ jobId: 'j', name: 'j', state, createdAt: 1 });

  it('begins with results where there are some, and with files where nothing was filled from here', () => {
    expect(firstBatchTab(detail({}))).toBe('items');
    expect(firstBatchTab({ ...detail({}), jobs: [job('succeeded')] })).toBe('results');
    expect(firstBatchTab({ ...detail({}), jobs: [job('failed')] })).toBe('items');
    expect(firstBatchTab(detail({ state: 'remote' }))).toBe('outputs');
    expect(batchTabs(detail({})).map(({ label }) => label)).toEqual([
      'Files 1,200',
      'Results',
      'Archives',
    ]);
    expect(batchTabs(detail({ state: 'remote', mode: null }))).toEqual([
      { value: 'outputs', label: 'Files' },
    ]);
  });

  it('says what became of the job over it', () => {
    const of = (jobState: BatchRow['jobState']) =>
      batchState(batch({}, { state: 'processed', jobState }));
    expect(of('succeeded').word).toBe('Processed');
    expect(of('failed')).toMatchObject({ word: 'Job failed', tone: 'needs' });
    expect(of('running').word).toBe('Job running');
    expect(batchState(batch({}, { jobState: 'failed' })).word).toBe('Open');
  });
});
