import { describe, expect, it } from 'vitest';
import {
  readDay,
  readTime,
  settledTime,
  timeText,
} from '../../../../renderer/components/controls/clockAndDay.ts';

describe('times of day in their control', () => {
  it('are read and written as they are kept', () => {
    for (const text of ['00:00', '06:30', '23:59']) expect(timeText(readTime(text))).toBe(text);
    expect(timeText(undefined)).toBe('');
  });

  it.each(['', '6:30', '24:00', '12:60', '06:30:00', 'noon'])('“%s” is none', (text) => {
    expect(readTime(text)).toBeUndefined();
  });

  it.each([
    { says: 'complete', hour: '06', minute: '31', time: '06:31' },
    { says: 'one digit each', hour: '6', minute: '5', time: '06:05' },
    { says: 'an hour alone is the full hour', hour: '18', minute: '––', time: '18:00' },
    { says: 'a minute alone is no time', hour: '––', minute: '30', time: '' },
    { says: 'emptied', hour: '––', minute: '––', time: '' },
  ])('when the field is left: $says', ({ hour, minute, time }) => {
    const parts = [
      { part: 'hour', value: hour },
      { part: 'literal', value: ':' },
      { part: 'minute', value: minute },
    ];
    expect(settledTime(parts)).toBe(time);
  });
});

describe('days in their control', () => {
  it('are read and written as they are kept', () => {
    expect(readDay('2026-11-22')?.toString()).toBe('2026-11-22');
    expect(readDay('2028-02-29')?.toString()).toBe('2028-02-29');
  });

  it.each(['', '2026-02-29', '2026-13-01', '26-11-22', '2026-11-22T00:00'])(
    '“%s” is none',
    (text) => {
      expect(readDay(text)).toBeUndefined();
    },
  );
});
