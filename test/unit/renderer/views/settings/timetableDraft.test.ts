/** The editor of the bandwidth timetable: what it writes is what the engine reads, and the chart shows the same. */
import { expect, test } from 'vitest';
import { capAt, readTimetable } from '../../../../../preload/contract/timetable.ts';
import {
  timetableDraft,
  withRow,
  writeTimetable,
} from '../../../../../renderer/views/settings/timetableDraft.ts';
import { timetableWeek } from '../../../../../renderer/views/settings/timetableWeek.ts';

const WEEK = 'Mon-07:00,500k 08:00,2M 18:00,off Sat-00:00,off';

function again(text: string): string {
  const written = writeTimetable(timetableDraft(text));
  return written.ok ? written.text : written.wrong;
}

test('what was kept is written again as it was meant', () => {
  expect(['', 'off', '2M', '500k', '1.5G'].map(again)).toEqual(['', '', '2M', '0.5M', '1500M']);
  expect(again(WEEK)).toBe('08:00,2M 18:00,off Mon-07:00,0.5M Sat-00:00,off');
  expect(again('no timetable')).toBe('');
});

test('one kind turns into the other, and the earlier entries are not lost', () => {
  const draft = timetableDraft('2M');
  expect(draft).toMatchObject({ kind: 'always', rate: 2 });
  expect(writeTimetable({ ...draft, kind: 'clock' })).toEqual({
    ok: true,
    text: '08:00,2M 18:00,off',
  });
  expect(writeTimetable({ ...draft, kind: 'none' })).toEqual({ ok: true, text: '' });
});

test('incomplete data is reported and not written', () => {
  const draft = timetableDraft(WEEK);
  const change = (part: object): unknown =>
    writeTimetable({ ...draft, rows: draft.rows.map((row) => ({ ...row, ...part })) });
  for (const part of [{ time: '' }, { capped: true, rate: 0 }, { weekday: 1, time: '08:00' }]) {
    expect(change(part)).toMatchObject({ ok: false });
  }
  expect(writeTimetable({ ...draft, kind: 'always', rate: null })).toMatchObject({ ok: false });
  expect(writeTimetable({ ...draft, rows: [] })).toEqual({ ok: true, text: '' });
});

test('one more entry is a later one, and can be written', () => {
  const more = withRow(timetableDraft('22:00,2M 23:00,off'));
  expect(more.rows.map(({ time }) => time)).toEqual(['22:00', '23:00', '00:00']);
  expect(new Set(more.rows.map(({ key }) => key)).size).toBe(3);
  expect(writeTimetable(more)).toMatchObject({ ok: true });
});

test('the chart of the week shows what the engine does at every quarter of an hour', () => {
  const read = readTimetable(WEEK);
  if (!read.ok) throw new Error('the timetable cannot be read');
  const week = timetableWeek(read.value);
  expect(week.map(({ name }) => name)).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  for (const [index, { spans }] of week.entries()) {
    for (let minute = 0; minute < 1440; minute += 15) {
      const span = spans.find(({ from, to }) => from <= minute && minute < to);
      const cap = capAt(read.value, { weekday: (index + 1) % 7, minute });
      expect([index, minute, span?.fraction === 1]).toEqual([index, minute, cap === null]);
    }
  }
  expect(timetableWeek([])).toEqual([]);
});
