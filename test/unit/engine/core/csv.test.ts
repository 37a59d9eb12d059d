import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRows, readCsv } from '../../../../main/engine/core/csv.ts';
import { anyText } from '../../../helpers/anyText.ts';

test.each([
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [12.5, '12.5'],
  [-3, '-3'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['cr\rhere', '"cr\rhere"'],
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=A1,"B"', '"\'=A1,""B"""'],
  ['a=b', 'a=b'],
])('%j is written as %j', (value, written) => {
  expect(csvRows([[value]])).toEqual([`${written}\r\n`]);
});

test('cells are parted by commas, each row is one line', () => {
  expect(csvRows([['a', 1, null], ['b']])).toEqual(['a,1,\r\n', 'b\r\n']);
});

test('what was written is read again, whatever the cells hold', () => {
  // A ' before a formula would be taken for the one that csvRows writes.
  const cell = anyText().filter((text) => !text.startsWith("'"));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const text = csvRows([['one', 'two'], ...rows]).join('');
      expect(readCsv(`\uFEFF${text}`)).toEqual(rows.map(([one, two]) => ({ one, two })));
    }),
  );
});

test.each([
  ['a row is cut', 'a,b\r\n1'],
  ['a quote is never closed', 'a,b\r\n"1,2\r\n'],
  ['a row has too much', 'a,b\r\n1,2,3'],
])('a text is no table where %s', (_, text) => {
  expect(readCsv(text)).toBeNull();
});
