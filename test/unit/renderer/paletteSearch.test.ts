import { describe, expect, test } from 'vitest';
import {
  groupHits,
  labelRuns,
  searchPalette,
  type PaletteEntry,
} from '../../../renderer/text/paletteSearch.ts';

function entry(label: string, detail = '', also = ''): PaletteEntry {
  return { id: label, label, detail, group: 'Views', also };
}

const ENTRIES = [
  entry('Batches'),
  entry('Pause uploads', '', 'stop halt'),
  entry('Go to Projects'),
  entry('Problems'),
  entry('cam-2026-11-21', 'line-3 batch'),
];

function labels(typed: string): readonly string[] {
  return searchPalette(typed, ENTRIES, 10).map((hit) => hit.entry.label);
}

describe('the search of the palette', () => {
  test('nothing typed shows all in their order, as many as asked for', () => {
    expect(searchPalette(' ', ENTRIES, 2).map((hit) => hit.entry.label)).toEqual([
      'Batches',
      'Pause uploads',
    ]);
  });

  test('a beginning beats letters in the middle', () => {
    expect(labels('pro')).toEqual(['Problems', 'Go to Projects']);
  });

  test('letters in order are enough', () => {
    expect(labels('pup')).toEqual(['Pause uploads']);
    expect(labels('2611')).toContain('cam-2026-11-21');
  });

  test('other words and details count, but whole', () => {
    expect(labels('halt')).toEqual(['Pause uploads']);
    expect(labels('line-3')).toEqual(['cam-2026-11-21']);
    expect(labels('zzz')).toEqual([]);
  });

  test('odd input is only text', () => {
    expect(labels('.*')).toEqual([]);
    expect(labels('😀'.repeat(500))).toEqual([]);
  });
});

test('a label is cut where the meant letters begin and end', () => {
  expect(labelRuns('Pause', [0, 1, 4])).toEqual([
    { text: 'Pa', meant: true },
    { text: 'us', meant: false },
    { text: 'e', meant: true },
  ]);
});

test('the group of the best hit comes first', () => {
  const entries = [entry('alpha'), { ...entry('beta'), group: 'Jobs' as const }];
  const groups = groupHits(searchPalette('beta', entries, 5));
  expect(groups.map(({ group }) => group)).toEqual(['Jobs']);
});
