import { describe, expect, test } from 'vitest';
import { readTimetable } from '../../../../../preload/contract/timetable.ts';
import {
  capText,
  timetableLines,
} from '../../../../../renderer/views/settings/settingsTimetable.ts';

function linesOf(text: string): readonly string[] {
  const read = readTimetable(text);
  if (!read.ok) return [read.problem];
  return timetableLines(read.value).map(({ when, span, cap }) => `${when} ${span}: ${cap}`);
}

describe('the timetable next to its field', () => {
  test('a single rate holds always; nothing means no limit', () => {
    expect(linesOf('2M')).toEqual(['Every day always: 2 MB/s']);
    expect(linesOf('off')).toEqual(['Every day always: no limit']);
    expect(linesOf('  ')).toEqual([]);
  });

  test('entries hold until the next one, over midnight too', () => {
    expect(linesOf('18:00,off 08:00,2M')).toEqual([
      'Every day from 08:00 to 18:00: 2 MB/s',
      'Every day from 18:00 to 08:00 the next day: no limit',
    ]);
  });

  test('a single day is distinguished from every day', () => {
    expect(linesOf('00:00,off Mon-08:00,500k Mon-18:00,off')).toEqual([
      'Every day from 00:00 to 24:00: no limit',
      'Monday from 08:00 to 18:00: 500 kB/s',
      'Monday from 18:00 to 24:00: no limit',
    ]);
    expect(linesOf('Fri-18:00,off Mon-08:00,2M')).toEqual([
      'Monday from 08:00 to Friday 18:00: 2 MB/s',
      'Friday from 18:00 to Monday 08:00: no limit',
    ]);
  });
});

test('caps are written in decimal units', () => {
  expect([1500, 2e6, 1.5e9, null].map(capText)).toEqual([
    '1.5 kB/s',
    '2 MB/s',
    '1.5 GB/s',
    'no limit',
  ]);
});
