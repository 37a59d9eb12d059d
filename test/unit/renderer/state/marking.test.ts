/** Marking rows: what Ctrl, Shift and a plain click mean. */
import { expect, it } from 'vitest';
import { marking } from '../../../../renderer/state/marking.svelte.ts';

const ROWS = ['a', 'b', 'c', 'd', 'e'];
const list = { total: ROWS.length, row: (index: number) => ROWS[index] ?? null };

it('marks a range from where one began, in either direction', () => {
  const marks = marking<string>(
    () => list,
    (row) => row,
  );
  marks.begin(2);
  marks.extend(4, 2);
  expect(marks.at(3)).toEqual(['c', 'd', 'e']);
  marks.extend(0, 4);
  expect(marks.at(0)).toEqual(['a', 'b', 'c']);
  // A row that is not marked stands only for itself.
  expect(marks.at(4)).toEqual(['e']);
});

it('adds and takes one, the row where one is first', () => {
  const marks = marking<string>(
    () => list,
    (row) => row,
  );
  marks.toggle(3, 1);
  expect(marks.at(1)).toEqual(['b', 'd']);
  marks.toggle(1, 3);
  expect(marks.at(3)).toEqual(['d']);
  marks.all();
  expect([marks.size, marks.has('e')]).toEqual([5, true]);
  marks.clear();
  expect(marks.at(9)).toEqual([]);
});

it('starts a range at the current row after the marks were cleared, because the rows may be others', () => {
  const marks = marking<string>(
    () => list,
    (row) => row,
  );
  marks.begin(4);
  marks.clear();
  marks.extend(1, 0);
  expect(marks.at(1)).toEqual(['a', 'b']);
});

it('marks no heading of a group', () => {
  const marks = marking<string>(
    () => ({ ...list, headings: [0, 2] }),
    (row) => row,
  );
  marks.all();
  expect(marks.at(1)).toEqual(['b', 'd', 'e']);
});
