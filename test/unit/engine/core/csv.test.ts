import { expect, test } from 'vitest';
import { csvRows } from '../../../../main/engine/core/csv.ts';

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
