import { describe, expect, test } from 'vitest';
import {
  capText,
  readTimetable,
  timetableLines,
} from '../../../renderer/views/settings/settingsTimetable.ts';
import { readTimetable as readByEngine } from '../../../main/engine/pipeline/send/timetable.ts';

function linesOf(text: string): readonly string[] {
  const read = readTimetable(text);
  if (!read.ok) return [read.wrong];
  return timetableLines(read.entries).map(({ when, span, cap }) => `${when} ${span}: ${cap}`);
}

describe('the timetable beside its field', () => {
  test('a single rate holds always; nothing means no cap', () => {
    expect(linesOf('2M')).toEqual(['Every day always: 2 MB/s']);
    expect(linesOf('off')).toEqual(['Every day always: no cap']);
    expect(linesOf('  ')).toEqual([]);
  });

  test('entries hold until the next one, over midnight too', () => {
    expect(linesOf('18:00,off 08:00,2M')).toEqual([
      'Every day from 08:00 to 18:00: 2 MB/s',
      'Every day from 18:00 to 08:00 the next day: no cap',
    ]);
  });

  test('a single day is told apart from every day', () => {
    expect(linesOf('00:00,off Mon-08:00,500k Mon-18:00,off')).toEqual([
      'Every day from 00:00 to 24:00: no cap',
      'Monday from 08:00 to 18:00: 500 kB/s',
      'Monday from 18:00 to 24:00: no cap',
    ]);
    expect(linesOf('Fri-18:00,off Mon-08:00,2M')).toEqual([
      'Monday from 08:00 to Friday 18:00: 2 MB/s',
      'Friday from 18:00 to Monday 08:00: no cap',
    ]);
  });

  test.each([
    ['fast', 'no rate'],
    ['08:00', 'no entry'],
    ['8:00,2M 25:00,off', 'no time of day'],
    ['Tag-08:00,2M', 'no day'],
    ['08:00,2M 08:00,3M', 'there already'],
    ['1', 'under 1 kB'],
    ['constructor', 'no rate'],
    [`${'08:00,2M '.repeat(80)}`, 'Too long'],
  ])('%s is refused with its reason', (text, reason) => {
    expect(linesOf(text)[0]).toContain(reason);
  });

  test.each([
    '2M',
    '1.5G',
    'off',
    '999',
    '1000',
    '1k',
    '08:00,2M 18:00,off',
    '08:00,2M,',
    'x',
    '24:00,2M',
    'sun-0:00,off',
  ])('judges %s as the engine does', (text) => {
    expect(readTimetable(text).ok).toBe(readByEngine(text).ok);
  });
});

test('caps are written in decimal units', () => {
  expect([1500, 2e6, 1.5e9, null].map(capText)).toEqual([
    '1.5 kB/s',
    '2 MB/s',
    '1.5 GB/s',
    'no cap',
  ]);
});
