import { describe, expect, test } from 'vitest';
import { keyName, keyCommand } from '../../../../renderer/text/paletteKeys.ts';
import {
  groupHits,
  labelRuns,
  searchPalette,
  type PaletteEntry,
} from '../../../../renderer/text/paletteSearch.ts';

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

  test('a match at the start beats one in the middle', () => {
    expect(labels('pro')).toEqual(['Problems', 'Go to Projects']);
  });

  test('letters in order are enough', () => {
    expect(labels('pup')).toEqual(['Pause uploads']);
    expect(labels('2611')).toContain('cam-2026-11-21');
    expect(labels('ebl'), 'scattered from the middle of a word').toEqual([]);
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

test('a long name keeps its beginning and its end, and shows that letters between them were found', () => {
  const text = (marks: readonly number[], longest: number) =>
    labelRuns('0123456789abcdefghij', marks, longest).map((run) =>
      run.meant ? `[${run.text}]` : run.text,
    );
  expect(text([18, 19], 20)).toEqual(['0123456789abcdefgh', '[ij]']);
  expect(text([18, 19], 10)).toEqual(['0123…fgh', '[ij]']);
  expect(text([0, 9, 14, 15], 10)).toEqual(['[0]', '123', '[…f]', 'ghij']);
});

test('an emoji is meant, kept or left out as a whole', () => {
  const found = searchPalette('🍎b', [entry('a 🍎bc')], 1).flatMap(({ entry: { label }, marks }) =>
    labelRuns(label, marks),
  );
  expect(found.map(({ text }) => text)).toEqual(['a ', '🍎b', 'c']);
  for (let longest = 4; longest < 14; longest += 1) {
    const [run] = labelRuns('🍎🍌🍇🍉🍋🍐🍓', [], longest);
    expect(run?.text).toMatch(/^\P{Surrogate}*…\P{Surrogate}*$/u);
  }
});

test('the group of the best hit comes first', () => {
  const entries = [entry('alpha'), { ...entry('beta'), group: 'Jobs' as const }];
  const groups = groupHits(searchPalette('beta', entries, 5));
  expect(groups.map(({ group }) => group)).toEqual(['Jobs']);
});

describe('the keys of the window', () => {
  const press = (key: string, held: Partial<Parameters<typeof keyCommand>[0]> = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...held,
  });

  test('Ctrl and Cmd open the palette, even from a text box', () => {
    expect(keyCommand(press('k', { ctrlKey: true }), true)).toEqual({ kind: 'palette' });
    expect(keyCommand(press('K', { metaKey: true }), false)).toEqual({ kind: 'palette' });
    expect(keyCommand(press('k'), false)).toBeNull();
  });

  test('a question mark lists the shortcuts unless it is typed into something', () => {
    expect(keyCommand(press('?', { shiftKey: true }), false)).toEqual({ kind: 'shortcuts' });
    expect(keyCommand(press('?', { shiftKey: true }), true)).toBeNull();
  });

  test('digits lead to the views; what is not a key of the window is left alone', () => {
    expect(keyCommand(press('5', { ctrlKey: true }), false)).toEqual({ kind: 'view', index: 4 });
    expect(keyCommand(press(',', { metaKey: true }), false)).toEqual({ kind: 'view', index: 5 });
    expect(keyCommand(press('7', { ctrlKey: true }), false)).toBeNull();
    expect(keyCommand(press('1', { ctrlKey: true, altKey: true }), false)).toBeNull();
  });

  test('Alt and arrows go back and forward, but move the cursor in a text box', () => {
    const back = press('ArrowLeft', { altKey: true });
    expect(keyCommand(back, false)).toEqual({ kind: 'history', steps: -1 });
    expect(keyCommand(back, true)).toBeNull();
    expect(keyCommand(press('ArrowRight', { altKey: true }), false)).toMatchObject({ steps: 1 });
  });

  test('the Command key of a Mac has its own symbol', () => {
    expect([keyName('mod', 'darwin'), keyName('mod', 'linux'), keyName('M', 'linux')]).toEqual([
      '⌘',
      'Ctrl',
      'M',
    ]);
  });
});
