import { NO_COUNTS as counts } from '../../../../main/engine/status/counts.ts';
import { doneFraction } from '../../../../preload/contract/figures.ts';
import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../e2e/gallery/snapshots.ts';
import type { HistoryDay } from '../../../../preload/contract/records.ts';
import { formatLeft } from '../../../../renderer/text/format.ts';
import { dayExtras, weekSentence } from '../../../../renderer/text/historyWords.ts';
import {
  besideFigure,
  bytesOfAll,
  goneOfBatch,
  isAtRest,
  openWords,
  pausedWords,
  shownCounts,
  uploadFigure,
} from '../../../../renderer/text/uploadProgress.ts';

const none = { confirmed: 0, sent: 0, onWire: 0, total: 0 };

describe('the figure of everything', () => {
  it('is a percentage while something is in progress, never 100 before the last is confirmed', () => {
    const open = { ...counts, sent: 1 };
    const bytes = { confirmed: 30, sent: 5, onWire: 6, total: 100 };
    expect(uploadFigure({ ...open, queued: 2 }, bytes)).toBe('41 %');
    expect(uploadFigure(open, { ...none, sent: 100, total: 100 })).toBe('99 %');
    expect(doneFraction({ ...none, confirmed: 100, total: 100 })).toBe(1);
  });
  it('is the number of files while none of them is measured', () => {
    const some = { ...counts, confirmed: 300, queued: 1 };
    const measured = { ...none, confirmed: 100, total: 100 };
    for (const bytes of [none, measured]) {
      expect(uploadFigure(some, bytes)).toBe('1 file to upload');
      expect(besideFigure(some, bytes)).toBe('300 files safe');
    }
  });
  it('is of a batch what has left of its own transfers', () => {
    const transfers = [
      { batchId: 'a', sentBytes: 10, sizeBytes: 40 },
      { batchId: 'a', sentBytes: 20, sizeBytes: 60 },
      { batchId: 'b', sentBytes: 5, sizeBytes: 5 },
    ];
    expect(goneOfBatch(transfers, 'a')).toBe(0.3);
    expect(goneOfBatch(transfers, 'c')).toBe(0);
  });
  it('stands beside what is safe and what is to go', () => {
    const some = { ...counts, found: 3290, confirmed: 288, skipped: 2, sending: 3000 };
    expect(besideFigure(some, { ...none, total: 9 })).toBe('288 files safe, 3,000 to go');
    expect(besideFigure({ ...some, confirmed: 0 }, { ...none, total: 9 })).toBe('3,000 to go');
    // The figure itself says how many files are left.
    expect(besideFigure(some, none)).toBe('288 files safe');
  });
  it('says what is safe once all is at rest', () => {
    expect(uploadFigure(counts, none)).toBe('Nothing uploaded yet');
    expect(uploadFigure({ ...counts, confirmed: 3207 }, none)).toBe('All 3,207 files safe');
    expect(uploadFigure({ ...counts, confirmed: 5, attention: 1 }, none)).toBe('5 files safe');
    expect(uploadFigure({ ...counts, confirmed: 1 }, none)).toBe('The file is safe');
  });
  it('shows how much of it has gone, in one unit where that says enough', () => {
    const bytes = { ...none, total: 3e9 };
    expect(bytesOfAll({ ...bytes, confirmed: 1.2e9 })).toBe('1.2 of 3 GB');
    expect(bytesOfAll({ ...bytes, onWire: 40e6 })).toBe('40 MB of 3 GB');
    expect(bytesOfAll(bytes)).toBe('0 of 3 GB');
    expect(bytesOfAll({ ...none, sent: 200, total: 900 })).toBe('200 of 900 B');
  });
  it('names only what there is, and nothing that the total says already', () => {
    expect(openWords({ ...counts, queued: 1900, sending: 12 })).toBe(
      '12 uploading · 1,900 waiting',
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
    expect(weekSentence([day({})], now, false)?.word).toBe('Last 7 days: all 10 files safe');
    expect(weekSentence([day({ confirmed: 9, attention: 1 })], now, false)).toEqual({
      word: 'Last 7 days: 1 file needs attention',
      tone: 'needs',
    });
    expect(weekSentence([day({ confirmed: 7, skipped: 1 })], now, false)?.word).toContain(
      '2 files on the way',
    );
    expect(weekSentence([day({ confirmed: 7 })], now, true)).toEqual({
      word: 'Last 7 days: 3 files wait',
      tone: 'waiting',
    });
    expect(weekSentence([day({}, '2026-11-14')], now, false)).toBeNull();
  });
  it('says what else happened on a day', () => {
    expect(dayExtras(day({ skipped: 2, confirmed: 8 }))).toBe(
      '2 skipped · 1 job failed · 66 result files',
    );
  });
});
