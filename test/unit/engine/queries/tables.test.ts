/** Tables from result files: what is read, sorted and searched, and that nothing in a file does harm. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { csvParser, type Table, type TableParser } from '../../../../main/engine/core/csv.ts';
import type { TablePage, TableQuery } from '../../../../main/engine/core/model.ts';
import { createTableReader } from '../../../../main/engine/queries/tables/tableReader.ts';
import { readTable } from '../../../../main/engine/queries/tables/readTable.ts';
import { jsonLinesParser } from '../../../../main/engine/queries/tables/jsonLines.ts';
import { createTableView } from '../../../../main/engine/queries/tables/tableView.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { valueOf } from '../../../helpers/results.ts';

const BOUNDS = { maxRows: 1000, maxColumns: 10, maxCell: 100 };
const ALL: TableQuery = { offset: 0, limit: 200, search: '', sort: null, descending: false };

function parse(parser: TableParser, ...pieces: readonly string[]): Table {
  for (const piece of pieces) parser.push(piece);
  return parser.end();
}

const csv = (...pieces: readonly string[]): Table => parse(csvParser(BOUNDS), ...pieces);
const lines = (...pieces: readonly string[]): Table => parse(jsonLinesParser(BOUNDS), ...pieces);

test('CSV is read with quotes, line ends of every system, and other delimiters', () => {
  const table = csv('image,n,\na.jpg,1,x\r\n"b, ""2"".jpg",2,"two\nlines"\r\rc.jpg,3');
  expect(table.columns).toEqual(['image', 'n', 'Column 3']);
  expect(table.rows).toEqual([
    ['a.jpg', '1', 'x'],
    ['b, "2".jpg', '2', 'two\nlines'],
    ['c.jpg', '3'],
  ]);
  expect(csv('a;b\n1,5;2').rows).toEqual([['1,5', '2']]);
  expect(csv('a\tb\n1\t2').columns).toEqual(['a', 'b']);
  expect(csv('a,a,a\n').columns).toEqual(['a', 'a (2)', 'a (3)']);
  expect(csv('')).toEqual({ columns: [], rows: [], unreadable: 0, truncated: false });
});

test('CSV is the same wherever it is cut into pieces', () => {
  const text = 'h1,h2\r\n"a ""quoted"" b",1\r\n"x\r\ny",2\r\n';
  const whole = csv(text);
  for (let at = 6; at < text.length; at += 1) {
    expect(csv(text.slice(0, at), text.slice(at))).toEqual(whole);
  }
});

test('JSON lines are rows; objects in them are columns, and a broken line costs itself', () => {
  const table = lines(
    '{"image":"a","box":{"x":1,"deep":{"er":true}},"list":[1,{"a":2}]}\n{"bro',
    'ken\n\n7\n{"image":null,"late":"z","__proto__":{"polluted":1}}',
  );
  expect(table.columns).toEqual([
    'image',
    'box.x',
    'box.deep.er',
    'list',
    'value',
    'late',
    '__proto__.polluted',
  ]);
  expect(table.rows[0]).toEqual(['a', '1', 'true', '[1,{"a":2}]']);
  expect(table.rows[1]).toEqual(['', '', '', '', '7']);
  expect(table.rows[2]).toEqual(['', '', '', '', '', 'z', '1']);
  expect(table.unreadable).toBe(1);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('reading stops at its limits and says so', () => {
  const rows = csv(`n\n${'1\n'.repeat(1500)}`);
  expect([rows.rows.length, rows.truncated]).toEqual([1000, true]);
  const columns = csv(`${'c,'.repeat(50)}c\n`);
  expect([columns.columns.length, columns.truncated]).toEqual([10, true]);
  expect(csv(`n\n${'x'.repeat(5000)}`).rows[0]?.[0]).toHaveLength(100);
  const objects = lines('{"a":1}\n'.repeat(1500));
  expect([objects.rows.length, objects.truncated]).toEqual([1000, true]);
  const endless = lines(...Array.from({ length: 6 }, () => 'x'.repeat(1_000_000)), '\n{"a":1}\n');
  expect([endless.rows, endless.unreadable]).toEqual([[['1']], 1]);
  const deep = lines(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}\n{"b":2}`);
  expect(deep.rows.at(-1)?.at(-1)).toBe('2');
});

test('a view sorts numbers as numbers and names as people do, empty cells last', () => {
  const view = createTableView(csv('name,n\nimg10,5\nimg2,\nIMG1,40\nimg3,-1e3\n'));
  const names = (change: Partial<TableQuery>): readonly (string | undefined)[] =>
    view({ ...ALL, ...change }).rows.map((row) => row[0]);
  expect(view(ALL).columns).toEqual([
    { name: 'name', numeric: false },
    { name: 'n', numeric: true },
  ]);
  expect(names({ sort: 0 })).toEqual(['IMG1', 'img2', 'img3', 'img10']);
  expect(names({ sort: 1 })).toEqual(['img3', 'img10', 'IMG1', 'img2']);
  expect(names({ sort: 1, descending: true })).toEqual(['IMG1', 'img10', 'img3', 'img2']);
  expect(names({ sort: 0, descending: true })).toEqual(['img10', 'img3', 'img2', 'IMG1']);
  expect(names({ descending: true })).toEqual(['img3', 'IMG1', 'img2', 'img10']);
  expect(names({ sort: 9 })).toEqual(['img10', 'img2', 'IMG1', 'img3']);
  expect(view({ ...ALL, search: 'IMG1' })).toMatchObject({ total: 2, allRows: 4 });
  expect(names({ offset: 3, limit: 5 })).toEqual(['img3']);
});

test('a page holds no more of a cell than a screen shows', () => {
  const table = parse(csvParser({ ...BOUNDS, maxCell: 5000 }), `n\n${'x'.repeat(4000)}`);
  expect(createTableView(table)(ALL).rows[0]?.[0]).toHaveLength(300);
});

test('a thread reads 100,000 rows, and a changed file again', async () => {
  const directory = scratch();
  const path = join(directory, 'summary.csv');
  const row = (index: number): string => `img_${index}.jpg,${index % 977},${index * 3}`;
  const text = Array.from({ length: 100_000 }, (_, index) => row(index)).join('\n');
  writeFileSync(path, `image,cups,bytes\n${text}\n`);
  const reader = createTableReader();
  onTestFinished(() => reader.close());
  const page = async (query: Partial<TableQuery>): Promise<TablePage> => {
    return valueOf(await reader.page(path, { ...ALL, ...query }));
  };
  expect(await page({ offset: 99_999 })).toMatchObject({
    total: 100_000,
    rows: [row(99_999).split(',')],
  });
  expect((await page({ sort: 2, descending: true, limit: 1 })).rows[0]?.[0]).toBe('img_99999.jpg');
  expect((await page({ search: 'img_4242' })).total).toBe(11);
  writeFileSync(path, 'image\nnew\n');
  expect((await page({})).rows).toEqual([['new']]);
});

test('what is no regular file is not read', async () => {
  const directory = scratch();
  const reader = createTableReader();
  onTestFinished(() => reader.close());
  mkdirSync(join(directory, 'folder.csv'));
  writeFileSync(join(directory, 'real.csv'), 'a\n1\n');
  symlinkSync(join(directory, 'real.csv'), join(directory, 'link.csv'));
  for (const name of ['folder.csv', 'link.csv', 'nowhere.csv']) {
    expect(await reader.page(join(directory, name), ALL)).toMatchObject({
      error: { code: 'item.unreadable' },
    });
  }
  expect((await readTable(join(directory, 'real.csv'))).table.rows).toEqual([['1']]);
});
