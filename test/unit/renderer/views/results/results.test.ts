/** What the window says about results, and how the keyboard moves through the contact sheet. */
import { rowAsObject, rowsAsText } from '../../../../../renderer/views/results/tableCopy.ts';
import { describe, expect, it } from 'vitest';
import type { ResultsView } from '../../../../../preload/contract/results.ts';
import {
  columnWidths,
  downloadOfJob,
  firstTable,
  isMiddleCut,
  type JobFacts,
  kindChoices,
  resultsWords,
  tableWords,
} from '../../../../../renderer/views/results/resultWords.ts';
import { imagesPerRow, moveInSheet } from '../../../../../renderer/views/results/sheetLayout.ts';

function view(change: Partial<ResultsView>): ResultsView {
  return {
    jobId: 'j',
    state: 'none',
    folder: '/data/results',
    automatic: false,
    known: 0,
    here: 0,
    bytes: 0,
    code: null,
    counts: { table: 0, image: 0, archive: 0, other: 0 },
    packed: 0,
    tables: [],
    ...change,
  };
}

const DONE: JobFacts = { state: 'succeeded', isAtService: true, isPartial: false };

describe('the line about results', () => {
  it('never offers what is not there', () => {
    expect(resultsWords(view({}), DONE).step).toBe('download');
    for (const state of ['failed', 'aborted', 'running', 'parked', 'planned'] as const) {
      expect(resultsWords(view({}), { ...DONE, state }).step).toBeNull();
    }
    const failed = { state: 'failed', isAtService: true, isPartial: false } as const;
    expect(resultsWords(view({}), failed).text).toMatch(/left no results/);
    expect(resultsWords(view({}), { ...failed, isPartial: true }).step).toBe('download');
    expect(resultsWords(view({}), { ...DONE, isAtService: false })).toMatchObject({
      step: null,
      text: expect.stringMatching(/deleted/),
    });
  });

  it('leads to what is here, also when the service has deleted it', () => {
    const here = view({ state: 'here', known: 2, here: 2, bytes: 3_000_000, automatic: true });
    expect(resultsWords(here, { ...DONE, isAtService: false })).toEqual({
      text: '2 files, 3 MB, downloaded automatically to',
      step: 'open',
      showsFolder: true,
    });
    expect(resultsWords(view({ state: 'incomplete', known: 9, here: 7 }), DONE)).toMatchObject({
      text: '7 of 9 files downloaded to',
      step: 'continue',
    });
    expect(resultsWords(view({ state: 'gone' }), DONE).step).toBe('again');
  });

  it('says where they will go', () => {
    const running = { ...DONE, state: 'running' } as const;
    expect(resultsWords(view({ automatic: true }), running)).toMatchObject({ showsFolder: true });
    expect(resultsWords(view({ state: 'fetching', known: 9, here: 7 }), DONE).text).toMatch(
      /^Downloading: 7 of 9 files/,
    );
  });
});

describe('files', () => {
  it('are counted by kind, and the summary comes first', () => {
    const counts = { table: 1, image: 1200, archive: 0, other: 2 };
    expect(kindChoices(counts).map(({ label }) => label)).toEqual([
      'Table 1',
      'Images 1,200',
      'Other files 2',
    ]);
    const file = (name: string) => ({ path: `/r/${name}`, name, kind: 'table' as const });
    const tables = [file('a/results.csv'), file('summary/summary.csv')];
    expect(firstTable(tables)?.name).toBe('summary/summary.csv');
    expect(firstTable(tables.slice(0, 1))?.name).toBe('a/results.csv');
    expect(firstTable([])).toBeNull();
  });

  it('say what of a table is shown', () => {
    const page = { total: 100_000, allRows: 100_000, unreadable: 0, truncated: false };
    expect(tableWords(page)).toBe('100,000 rows');
    expect(tableWords({ ...page, total: 1, unreadable: 2 })).toBe(
      '1 of 100,000 rows, 2 lines could not be read',
    );
    expect(tableWords({ ...page, truncated: true })).toMatch(/longer than what is shown/);
    expect(columnWidths(['n', 'name'], [['1', 'x'.repeat(500)]])).toEqual([64, 320]);
    expect(columnWidths(['sha256'], [['0a'.repeat(32)], ['f1'.repeat(32)]])).toEqual([120]);
  });

  it('cut names and paths in their middle, and only where they may not fit', () => {
    const path = '/data/line-3/station-west-camera-upper-left/frame 0001.jpg';
    expect([path, 'x'.repeat(50)].map((cell) => isMiddleCut(cell, 320))).toEqual([true, true]);
    expect(isMiddleCut(path, 420)).toBe(false);
    expect(isMiddleCut('Two cups on a table, one of them has fallen over.', 320)).toBe(false);
  });

  it('find the download that was asked for', () => {
    const download = { batchId: 'b', to: '/t', done: 0, files: 0, bytes: 0, error: null } as const;
    const downloads = [
      { ...download, jobId: 'j', state: 'running' },
      { ...download, jobId: 'j', state: 'failed' },
    ] as const;
    expect(downloadOfJob({ downloads }, 'j')?.state).toBe('running');
    expect(downloadOfJob({ downloads }, 'k')).toBeNull();
  });
});

describe('the contact sheet', () => {
  it('is walked through by keys', () => {
    const sheet = { perRow: 4, rowsShown: 3 };
    const from = (key: string, at: number) => moveInSheet(key, at, 10, sheet);
    expect(imagesPerRow(20)).toBe(1);
    expect(imagesPerRow(640)).toBe(4);
    expect(from('ArrowDown', 1)).toBe(5);
    expect(from('ArrowDown', 8)).toBe(9);
    expect(from('ArrowUp', 1)).toBe(0);
    expect(from('PageDown', 0)).toBe(8);
    expect(from('End', -1)).toBe(9);
    expect(from('ArrowRight', -1)).toBe(0);
    expect(from('a', 1)).toBeNull();
    expect(moveInSheet('End', -1, 0, sheet)).toBeNull();
  });
});

describe('rows of a table for other programs', () => {
  it('are cells for a spreadsheet, and no more of them than there are', () => {
    const rows = [['a.jpg', 'two\twords\nand a line'], ['b.jpg']];
    expect(rowsAsText(['image', 'note'], rows)).toBe(
      'image\tnote\na.jpg\ttwo words and a line\nb.jpg\t',
    );
  });
  it('are an object for a program; a name that is there twice keeps both cells', () => {
    expect(rowAsObject(['x', 'x'], ['1', '2'])).toEqual({ x: '1', 'x (2)': '2' });
  });
});
