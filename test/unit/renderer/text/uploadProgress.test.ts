import { NO_COUNTS as counts } from '../../../../main/engine/status/counts.ts';
import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../e2e/gallery/snapshots.ts';
import type { HistoryDay } from '../../../../preload/contract/records.ts';
import { formatLeft } from '../../../../renderer/text/format.ts';
import { dayExtras, weekSentence } from '../../../../renderer/text/historyWords.ts';
import {
  goneOfBatch,
  isAtRest,
  openWords,
  pausedWords,
  shownCounts,
  uploadFigure,
} from '../../../../renderer/text/uploadProgress.ts';

describe('the figure of everything', () => {
  it('is of a batch what has left of its own transfers', () => {
    const transfers = [
      { batchId: 'a', sentBytes: 10, sizeBytes: 40 },
      { batchId: 'a', sentBytes: 20, sizeBytes: 60 },
      { batchId: 'b', sentBytes: 5, sizeBytes: 5 },
    ];
    expect(goneOfBatch(transfers, 'a')).toBe(0.3);
    expect(goneOfBatch(transfers, 'c')).toBe(0);
  });
  it('is what is left during uploads, whatever was confirmed before', () => {
    const some = { ...counts, found: 3290, confirmed: 288, skipped: 2, sending: 3000 };
    expect(uploadFigure(some)).toBe('3,000 files to go');
    expect(uploadFigure({ ...counts, confirmed: 300, queued: 1 })).toBe('1 file to go');
    expect(uploadFigure(some, true)).toBe('3,000 files to go so far');
  });
  it('says what is safe once all is at rest', () => {
    expect(uploadFigure(counts)).toBe('Nothing uploaded yet');
    expect(uploadFigure({ ...counts, attention: 3 })).toBe('Nothing uploaded yet');
    expect(uploadFigure({ ...counts, confirmed: 3207 })).toBe('All 3,207 files safe');
    expect(uploadFigure({ ...counts, confirmed: 5, attention: 1 })).toBe('5 files safe');
    expect(uploadFigure({ ...counts, confirmed: 1 })).toBe('The file is safe');
    expect(uploadFigure({ ...counts, confirmed: 3207 }, true)).toBe('3,207 files safe');
    expect(uploadFigure({ ...counts, confirmed: 3207 }, false, false)).toBe('3,207 files safe');
  });
  it('names only what there is, and nothing that the total says already', () => {
    expect(openWords({ ...counts, queued: 1900, sending: 12, sent: 3 })).toBe(
      '3 to confirm · 12 uploading · 1,900 waiting',
    );
    expect(openWords({ ...counts, sent: 3 })).toBeNull();
  });
});

it('the time left falls without a jump at the minute', () => {
  const said = [130, 119, 110, 100, 61, 60, 51, 11, 9].map((seconds) => formatLeft(seconds * 1000));
  expect(said).toEqual([
    '3 min',
    '2 min',
    '110 s',
    '100 s',
    '70 s',
    '60 s',
    '60 s',
    '20 s',
    'under 10 s',
  ]);
});

describe('while nothing can be sent', () => {
  it('says that what was being sent waits', () => {
    const open = { ...counts, found: 33, queued: 3, sending: 20, sent: 10 };
    expect(openWords(shownCounts(open, true))).toBe('10 to confirm · 23 waiting');
    expect(shownCounts(open, false)).toBe(open);
  });

  it('is not being sent once a pause has taken effect', () => {
    const { pipeline } = snapshotOf('busy');
    const paused = { ...pipeline, blockedBy: null, paused: true };
    expect(pipeline.transfers.length).toBeGreaterThan(0);
    expect([isAtRest(paused), pausedWords(paused)]).toEqual([
      false,
      'Pausing after the current uploads',
    ]);
    const rested = { ...paused, transfers: [] };
    expect([isAtRest(rested), pausedWords(rested)]).toEqual([true, 'Paused']);
    expect(isAtRest({ ...rested, paused: false })).toBe(false);
  });

  it('is sent again by the upload that tests whether that is over', () => {
    const { transfers } = snapshotOf('busy').pipeline;
    const lost = { code: 'network.lost', next: 'retry', context: {} } as const;
    const blocked = { blockedBy: lost, paused: false, transfers };
    expect(isAtRest(blocked)).toBe(false);
    expect(isAtRest({ ...blocked, transfers: [] })).toBe(true);
    const stopped = { code: 'store.corrupt', next: 'stop', context: {} } as const;
    expect(isAtRest({ ...blocked, blockedBy: stopped })).toBe(true);
  });
});

describe('the history', () => {
  const now = new Date(2026, 10, 21, 12).getTime();
  const source = { destinationId: 1, watchId: 1, name: 'a', bytes: 1 };
  const day = (part: Partial<HistoryDay['sources'][number]>, date = '2026-11-20'): HistoryDay => ({
    day: date,
    sources: [{ ...source, found: 10, confirmed: 10, skipped: 0, attention: 0, ...part }],
    jobs: [{ jobId: 'j', name: 'j', state: 'failed', endedAt: now }],
    results: 66,
  });
  it('answers whether the last week is safe', () => {
    expect(weekSentence([day({})], now, false, true)?.word).toBe('Last 7 days: all 10 files safe');
    expect(weekSentence([day({})], now, false, false)?.word).toBe('Last 7 days: 10 files safe');
    expect(weekSentence([day({ confirmed: 9, attention: 1 })], now, false, true)).toEqual({
      word: 'Last 7 days: 1 needs attention',
      tone: 'needs',
    });
    expect(weekSentence([day({ confirmed: 7, skipped: 1 })], now, false, true)?.word).toBe(
      'Last 7 days: files on the way',
    );
    expect(weekSentence([day({ confirmed: 7 })], now, true, true)).toEqual({
      word: 'Last 7 days: 3 files wait',
      tone: 'waiting',
    });
    expect(weekSentence([day({}, '2026-11-14')], now, false, true)).toBeNull();
  });
  it('says what else happened on a day', () => {
    const extras = (part: Partial<HistoryDay['sources'][number]>, held = false): string =>
      dayExtras(day(part), held).replaceAll('\u00a0', ' ');
    expect(extras({ skipped: 2, confirmed: 8 })).toBe('1 job failed · 2 skipped · 66 result files');
    // Whatever needs attention, there may be more.
    expect(extras({ confirmed: 7, attention: 1 })).toContain('more on the way · 1 job failed');
    expect(extras({ confirmed: 7, attention: 1 }, true)).toContain('others waiting · ');
    expect(extras({ confirmed: 9, attention: 1 })).toContain('9 safe · ');
    expect(extras({ confirmed: 7 })).not.toContain('safe');
  });
});
