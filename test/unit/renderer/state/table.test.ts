/** The order and widths of tables: what a click does, and what remains after a restart. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  directionOf,
  nextOrder,
  type Order,
  tableOrder,
  tableWidths,
  tracksOf,
} from '../../../../renderer/state/table.svelte.ts';
import { sortedRows } from '../../../../renderer/text/sortedRows.ts';

type Sort = 'added' | 'name' | 'size';
const USUAL: Order<Sort> = { sort: 'added', descending: true };
const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

describe('a click on a column header', () => {
  it('sorts by it, then the other way, then as it was at first', () => {
    const once = nextOrder(USUAL, USUAL, 'size', true);
    const twice = nextOrder(once, USUAL, 'size', true);
    expect([once, twice, nextOrder(twice, USUAL, 'size', true)]).toEqual([
      { sort: 'size', descending: true },
      { sort: 'size', descending: false },
      USUAL,
    ]);
  });
  it('reverses the usual order and restores it', () => {
    const turned = nextOrder(USUAL, USUAL, 'added', true);
    expect(turned).toEqual({ sort: 'added', descending: false });
    expect(nextOrder(turned, USUAL, 'added', true)).toEqual(USUAL);
  });
});

describe('a table', () => {
  it('has its order again after a restart; what it does not know is its usual one', () => {
    const open = (): ReturnType<typeof tableOrder<Sort>> =>
      tableOrder<Sort>('files', { sorts: ['added', 'name', 'size'], usual: USUAL });
    open().press('name', false);
    expect([open().sort, open().descending, directionOf(open(), 'name')]).toEqual([
      'name',
      false,
      'ascending',
    ]);
    kept.set('order:files', '{"sort":"colour","descending":false}');
    expect([open().sort, open().descending]).toEqual(['added', true]);
    kept.set('order:files', 'no JSON');
    expect(open().sort).toBe('added');
  });
  it('keeps the widths of its columns within what can be used', () => {
    const widths = tableWidths('files');
    widths.set('size', 7);
    widths.set('name', 200.4);
    expect([tableWidths('files').of('size'), tableWidths('files').of('name')]).toEqual([48, 200]);
    const columns = [
      { key: 'name', label: 'Name', track: '1fr' },
      { key: 'size', label: 'Size', track: '72px' },
    ];
    expect(tracksOf(columns, widths)).toBe('200px 48px');
    widths.set('name', null);
    expect(tracksOf(columns, widths)).toBe('1fr 48px');
    kept.set('widths:files', '{"size":"wide","name":9999}');
    expect(tracksOf(columns, tableWidths('files'))).toBe('1fr 72px');
  });
});

it('rows have numbers in names by their value, and none without a key before others', () => {
  const rows = ['a-10', 'a-2', null, 'A-1'].map((name) => ({ name }));
  const names = (descending: boolean): readonly (string | null)[] =>
    sortedRows(rows, ({ name }) => name, descending).map(({ name }) => name);
  expect(names(false)).toEqual(['A-1', 'a-2', 'a-10', null]);
  expect(names(true)).toEqual(['a-10', 'a-2', 'A-1', null]);
});
